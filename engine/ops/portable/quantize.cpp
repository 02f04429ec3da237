#include <bit>

#include "engine/core/checked.hpp"
#include "engine/core/limits.hpp"
#include "engine/ops/portable/portable_kernels.hpp"
#include "engine/ops/reference/reference.hpp"
#include "engine/ops/rounding_by_reciprocal.hpp"

namespace pspllm::portable {

std::size_t quantized_bytes(std::uint32_t cols, std::uint32_t group_size) noexcept {
  if (group_size > largest_exact_group) return reference::quantized_bytes(cols, group_size);
  const std::uint64_t records = cols / group_size;
  return static_cast<std::size_t>(
      align_up(records * record_floats(group_size) * sizeof(float), block_alignment));
}

float* token_records(const QuantizedActivations& activations, std::uint32_t token) noexcept {
  return reinterpret_cast<float*>(activations.data +
                                  token * quantized_bytes(activations.cols, activations.group_size));
}

namespace {

constexpr std::uint32_t magnitude_bits = 0x7fffffff;

std::uint32_t larger(std::uint32_t a, std::uint32_t b) noexcept {
  return a > b ? a : b;
}

/// Bits of the largest magnitude; a NaN counts as larger than any number.
std::uint32_t largest_magnitude(const float* x, std::uint32_t n) noexcept {
  std::uint32_t even = 0;
  std::uint32_t odd = 0;
  for (; n >= 2; n -= 2, x += 2) {
    even = larger(even, std::bit_cast<std::uint32_t>(x[0]) & magnitude_bits);
    odd = larger(odd, std::bit_cast<std::uint32_t>(x[1]) & magnitude_bits);
  }
  if (n != 0) odd = larger(odd, std::bit_cast<std::uint32_t>(*x) & magnitude_bits);
  return larger(even, odd);
}

/// A number rounded to nearest and how far from it that is: bits of the magnitude.
struct Rounded {
  float whole;
  std::uint32_t rest;
};
Rounded round_to_nearest(float x) noexcept {
  constexpr float shifter = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
  const float whole = (x + shifter) - shifter;
  return {whole, std::bit_cast<std::uint32_t>(x - whole) & magnitude_bits};
}

/// False where a number is too near to the middle between two whole numbers; `values` is then to be made
/// again.
[[nodiscard]] bool quantize_by_reciprocal(const float* x, std::uint32_t n, float scale,
                                          float* values) noexcept {
  constexpr auto limit = std::bit_cast<std::uint32_t>(furthest_sure_rest);
  const float inverse = 1.0F / scale;
  // Bit 31 is set once a rest was above the limit.
  std::uint32_t unsure = 0;
  for (; n >= 4; n -= 4, x += 4, values += 4) {
    const Rounded first = round_to_nearest(x[0] * inverse);
    const Rounded second = round_to_nearest(x[1] * inverse);
    const Rounded third = round_to_nearest(x[2] * inverse);
    const Rounded fourth = round_to_nearest(x[3] * inverse);
    values[0] = first.whole;
    values[1] = second.whole;
    values[2] = third.whole;
    values[3] = fourth.whole;
    unsure |= (limit - first.rest) | (limit - second.rest) | (limit - third.rest) | (limit - fourth.rest);
  }
  for (; n > 0; --n) {
    const Rounded last = round_to_nearest(*x++ * inverse);
    *values++ = last.whole;
    unsure |= limit - last.rest;
  }
  return unsure >> 31 == 0;
}

/// The reference's steps; its bytes are then spread from the last to the first.
void quantize_as_reference(const float* x, std::uint32_t n, float* values) noexcept {
  auto* const bytes = reinterpret_cast<std::int8_t*>(values);
  reference::quantize_group(x, n, bytes, values[n]);
  for (std::uint32_t i = n; i-- > 0;) values[i] = static_cast<float>(bytes[i]);
}

/// values: [n] and the scale.
void quantize_group(const float* x, std::uint32_t n, float* values) noexcept {
  const float scale = std::bit_cast<float>(largest_magnitude(x, n)) / largest_quantized;
  if (scale > smallest_reciprocal_scale && scale < largest_reciprocal_scale &&
      quantize_by_reciprocal(x, n, scale, values)) {
    values[n] = scale;
  } else {
    quantize_as_reference(x, n, values);
  }
}

}  // namespace

void quantize(const float* x, const QuantizedActivations& out) noexcept {
  if (out.group_size > largest_exact_group) return reference::quantize(x, out);
  for (std::uint32_t token = 0; token < out.n_tokens; ++token) {
    float* record = token_records(out, token);
    for (std::uint32_t group = out.cols / out.group_size; group > 0; --group) {
      quantize_group(x, out.group_size, record);
      x += out.group_size;
      record += record_floats(out.group_size);
    }
  }
}

}  // namespace pspllm::portable
