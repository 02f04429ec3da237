#include <cstring>

#include "engine/core/checked.hpp"
#include "engine/core/limits.hpp"
#include "engine/math/rounding.hpp"
#include "engine/model/code_layout.hpp"
#include "engine/ops/reference/reference.hpp"
#include "engine/ops/rounding_by_reciprocal.hpp"

namespace pspllm::reference {

std::size_t quantized_bytes(std::uint32_t cols, std::uint32_t group_size) noexcept {
  return static_cast<std::size_t>(align_up(cols, block_alignment) +
                                  align_up(cols / group_size * sizeof(float), block_alignment));
}

QuantizedToken token_of(const QuantizedActivations& activations, std::uint32_t token) noexcept {
  std::byte* const start =
      activations.data + token * quantized_bytes(activations.cols, activations.group_size);
  return {reinterpret_cast<std::int8_t*>(start),
          reinterpret_cast<float*>(start + align_up(activations.cols, block_alignment))};
}

std::size_t code_activation_bytes(std::uint32_t cols) noexcept {
  return static_cast<std::size_t>(align_up(cols + max_code_padding, block_alignment) + block_alignment);
}

QuantizedToken code_token_of(const QuantizedActivations& activations, std::uint32_t token) noexcept {
  const std::size_t bytes = code_activation_bytes(activations.cols);
  std::byte* const start = activations.data + token * bytes;
  return {reinterpret_cast<std::int8_t*>(start), reinterpret_cast<float*>(start + bytes - block_alignment)};
}

void quantize_group(const float* x, std::uint32_t n, std::int8_t* values, float& scale_out) noexcept {
  float largest = 0.0F;
  for (std::uint32_t i = 0; i < n; ++i) {
    const float magnitude = x[i] < 0.0F ? -x[i] : x[i];
    if (magnitude > largest) largest = magnitude;
  }
  const float scale = largest / largest_quantized;
  scale_out = scale;
  for (std::uint32_t i = 0; i < n; ++i) {
    const float quotient = x[i] / scale;
    // 0 / 0 in an all-zero group, and what infinities and NaNs give, become 0 on the reference's x86.
    const bool finite = quotient - quotient == 0.0F;
    values[i] = finite ? static_cast<std::int8_t>(round_half_away(quotient)) : std::int8_t{0};
  }
}

float quantize_vector(const float* x, std::uint32_t n, std::int8_t* values) noexcept {
  float scale = 0.0F;
  quantize_group(x, n, values, scale);
  if (is_normal(scale)) return scale;
  // A scale without all its bits would let values pass 127.
  for (std::uint32_t i = 0; i < n; ++i) values[i] = 0;
  return 0.0F;
}

void quantize(const float* x, const QuantizedActivations& out) noexcept {
  for (std::uint32_t token = 0; token < out.n_tokens; ++token) {
    const QuantizedToken quantized = token_of(out, token);
    for (std::uint32_t group = 0; group < out.cols / out.group_size; ++group) {
      quantize_group(x + std::size_t{group} * out.group_size, out.group_size,
                     quantized.values + std::size_t{group} * out.group_size, quantized.scales[group]);
    }
    x += out.cols;
  }
}

void quantize_codes(const float* x, const QuantizedActivations& out) noexcept {
  for (std::uint32_t token = 0; token < out.n_tokens; ++token) {
    const QuantizedToken quantized = code_token_of(out, token);
    *quantized.scales = quantize_vector(x, out.cols, quantized.values);
    std::memset(quantized.values + out.cols, 0, max_code_padding);
    x += out.cols;
  }
}

}  // namespace pspllm::reference
