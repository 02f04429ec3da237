#include "engine/ops/reference/reference.hpp"

namespace pspllm::reference {

void rmsnorm(float* out, const float* x, const float* weight, std::uint32_t n, float epsilon) noexcept {
  float sum_of_squares = 0.0F;
  for (std::uint32_t i = 0; i < n; ++i) sum_of_squares += x[i] * x[i];
  sum_of_squares /= static_cast<float>(static_cast<std::int32_t>(n));
  sum_of_squares += epsilon;
  const float factor = 1.0F / __builtin_sqrtf(sum_of_squares);
  for (std::uint32_t i = 0; i < n; ++i) out[i] = weight[i] * (factor * x[i]);
}

}  // namespace pspllm::reference
