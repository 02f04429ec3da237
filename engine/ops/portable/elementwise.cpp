// RMSNorm, SwiGLU, softmax and argmax: exponentials in runs, several numbers on their way at a time, sums in
// the reference's order.
#include <algorithm>

#include "engine/math/exact_math.hpp"
#include "engine/ops/portable/portable_kernels.hpp"

namespace pspllm::portable {

void rmsnorm(float* out, const float* x, const float* weight, std::uint32_t n, float epsilon) noexcept {
  const std::uint32_t whole = n / 4 * 4;
  float sum = 0.0F;
  for (std::uint32_t i = 0; i < whole; i += 4) {
    const float first = x[i] * x[i];
    const float second = x[i + 1] * x[i + 1];
    const float third = x[i + 2] * x[i + 2];
    const float fourth = x[i + 3] * x[i + 3];
    sum += first;
    sum += second;
    sum += third;
    sum += fourth;
  }
  for (std::uint32_t i = whole; i < n; ++i) sum += x[i] * x[i];
  const float mean = sum / static_cast<float>(static_cast<std::int32_t>(n)) + epsilon;
  const float factor = 1.0F / __builtin_sqrtf(mean);
  for (std::uint32_t i = 0; i < whole; i += 4) {
    const float first = factor * x[i];
    const float second = factor * x[i + 1];
    const float third = factor * x[i + 2];
    const float fourth = factor * x[i + 3];
    const float first_weighed = weight[i] * first;
    const float second_weighed = weight[i + 1] * second;
    const float third_weighed = weight[i + 2] * third;
    const float fourth_weighed = weight[i + 3] * fourth;
    out[i] = first_weighed;
    out[i + 1] = second_weighed;
    out[i + 2] = third_weighed;
    out[i + 3] = fourth_weighed;
  }
  for (std::uint32_t i = whole; i < n; ++i) out[i] = weight[i] * (factor * x[i]);
}

void swiglu(float* gate, const float* up, std::uint32_t n) noexcept {
  constexpr std::uint32_t at_once = 64;
  float powers[at_once];
  while (n > 0) {
    const std::uint32_t count = std::min(n, at_once);
    for (std::uint32_t i = 0; i < count; ++i) powers[i] = -gate[i];
    exact_exp_many(powers, powers, count);
    for (std::uint32_t i = 0; i < count; ++i) gate[i] = gate[i] * (1.0F / (1.0F + powers[i])) * up[i];
    gate += count;
    up += count;
    n -= count;
  }
}

void softmax(float* x, std::uint32_t n) noexcept {
  float largest = x[0];
  for (std::uint32_t i = 1; i < n; ++i) {
    if (x[i] > largest) largest = x[i];
  }
  for (std::uint32_t i = 0; i < n; ++i) x[i] -= largest;
  exact_exp_many(x, x, n);
  float sum = 0.0F;
  for (std::uint32_t i = 0; i < n; ++i) sum += x[i];
  for (std::uint32_t i = 0; i < n; ++i) x[i] /= sum;
}

std::uint32_t argmax(const float* x, std::uint32_t n) noexcept {
  std::uint32_t best = 0;
  float largest = x[0];
  const auto compare = [&best, &largest](float value, std::uint32_t index) {
    if (value > largest) [[unlikely]] {
      largest = value;
      best = index;
    }
  };
  std::uint32_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const float first = x[i];
    const float second = x[i + 1];
    const float third = x[i + 2];
    const float fourth = x[i + 3];
    compare(first, i);
    compare(second, i + 1);
    compare(third, i + 2);
    compare(fourth, i + 3);
  }
  for (; i < n; ++i) compare(x[i], i);
  return best;
}

}  // namespace pspllm::portable
