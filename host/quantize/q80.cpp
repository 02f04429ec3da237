#include "host/quantize/q80.hpp"

#include <algorithm>
#include <cmath>

#include "engine/math/rounding.hpp"

namespace pspllm::host {
namespace {

float quantize_group(std::span<const float> weights, std::span<std::int8_t> values) noexcept {
  float largest = 0.0F;
  for (const float weight : weights) largest = std::max(largest, std::fabs(weight));
  const float scale = largest / largest_q80;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    // Where the scale is so small that it lost its bits, the quotient can pass 127; where it became 0, all is
    // 0.
    const float quotient = scale == 0.0F ? 0.0F : std::clamp(weights[i] / scale, -largest_q80, largest_q80);
    values[i] = static_cast<std::int8_t>(round_half_even(quotient));
  }
  return scale;
}

}  // namespace

void quantize_q80(std::span<const float> weights, std::uint32_t group_size, std::span<std::int8_t> values,
                  std::span<float> scales) noexcept {
  for (std::size_t group = 0; group < scales.size(); ++group) {
    const std::size_t start = group * group_size;
    scales[group] = quantize_group(weights.subspan(start, group_size), values.subspan(start, group_size));
  }
}

std::uint32_t largest_q80_group(const ModelConfig& config) noexcept {
  constexpr std::uint32_t largest_group = 64;
  std::uint32_t group_size = largest_group;
  while (config.dim % group_size != 0 || config.hidden_dim % group_size != 0) group_size /= 2;
  return group_size;
}

}  // namespace pspllm::host
