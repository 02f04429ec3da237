#pragma once

#include <cstdint>

#include "engine/math/float_bits.hpp"

// The two ways of rounding a single to an integer that llama2.c's files and program differ in. Never swap
// them: runq.c quantises activations with C's round(), its exporter quantises weights with torch.round().
namespace pspllm {

namespace rounding_detail {

// From here on every single is an integer.
constexpr std::uint32_t all_integers_from = 0x4b000000;  // 2^23

// The integer part of |value| and what is cut off, the latter scaled so that one half is 2^31.
// value: below 2^23 in magnitude.
struct SplitMagnitude {
  std::uint32_t whole;
  std::uint32_t fraction;
};

[[nodiscard]] constexpr SplitMagnitude split_magnitude(std::uint32_t bits) noexcept {
  const std::uint32_t magnitude = bits & float_magnitude_mask;
  const auto exponent = static_cast<int>(magnitude >> float_fraction_bits) - float_exponent_bias;
  if (exponent < -1) {
    return {.whole = 0, .fraction = magnitude != 0 ? 1U : 0U};
  }
  const std::uint32_t significand = (magnitude << 8) | float_sign_bit;
  if (exponent == -1) {
    return {.whole = 0, .fraction = significand};
  }
  return {.whole = significand >> (31 - exponent), .fraction = significand << (exponent + 1)};
}

[[nodiscard]] constexpr std::int32_t with_sign_of(std::uint32_t bits, std::uint32_t magnitude) noexcept {
  const auto value = static_cast<std::int32_t>(magnitude);
  return (bits & float_sign_bit) != 0 ? -value : value;
}

}  // namespace rounding_detail

// The nearest integer, halves away from zero: C's round(). |value| < 2^23.
[[nodiscard]] constexpr std::int32_t round_half_away(float value) noexcept {
  const std::uint32_t bits = to_bits(value);
  const auto split = rounding_detail::split_magnitude(bits);
  return rounding_detail::with_sign_of(bits, split.whole + (split.fraction >> 31));
}

// The nearest integer, halves to the even neighbour: IEEE's default, torch.round(). |value| < 2^23.
[[nodiscard]] constexpr std::int32_t round_half_even(float value) noexcept {
  const std::uint32_t bits = to_bits(value);
  const auto split = rounding_detail::split_magnitude(bits);
  const bool above_half = split.fraction > 0x80000000U;
  const bool tie_to_odd = split.fraction == 0x80000000U && (split.whole & 1U) != 0;
  return rounding_detail::with_sign_of(bits, split.whole + (above_half || tie_to_odd ? 1U : 0U));
}

}  // namespace pspllm
