// SwiGLU, softmax and argmax.
#include "engine/math/exact_math.hpp"
#include "engine/ops/reference/reference.hpp"

namespace pspllm::reference {

void swiglu(float* gate, const float* up, std::uint32_t n) noexcept {
  for (std::uint32_t i = 0; i < n; ++i) {
    float value = gate[i];
    value *= 1.0F / (1.0F + exact_exp(-value));
    value *= up[i];
    gate[i] = value;
  }
}

void softmax(float* x, std::uint32_t n) noexcept {
  float largest = x[0];
  for (std::uint32_t i = 1; i < n; ++i) {
    if (x[i] > largest) largest = x[i];
  }
  float sum = 0.0F;
  for (std::uint32_t i = 0; i < n; ++i) {
    x[i] = exact_exp(x[i] - largest);
    sum += x[i];
  }
  for (std::uint32_t i = 0; i < n; ++i) x[i] /= sum;
}

std::uint32_t argmax(const float* x, std::uint32_t n) noexcept {
  std::uint32_t best = 0;
  for (std::uint32_t i = 1; i < n; ++i) {
    if (x[i] > x[best]) best = i;
  }
  return best;
}

}  // namespace pspllm::reference
