#pragma once

#include <bit>
#include <cstdint>

// The fields of an IEEE-754 single, for code that must not depend on how a processor treats NaNs.
namespace pspllm {

constexpr std::uint32_t float_sign_bit = 0x80000000U;
constexpr std::uint32_t float_magnitude_mask = 0x7fffffffU;
constexpr std::uint32_t float_infinity_bits = 0x7f800000U;
constexpr std::uint32_t float_quiet_bit = 0x00400000U;
constexpr std::uint32_t float_one_bits = 0x3f800000U;
constexpr std::uint32_t float_smallest_normal_bits = 0x00800000U;
constexpr std::uint32_t float_smallest_subnormal_bits = 0x00000001U;
// What x86 answers to an invalid operation: a quiet NaN with its sign set.
constexpr std::uint32_t float_invalid_bits = 0xffc00000U;
constexpr int float_fraction_bits = 23;
constexpr int float_exponent_bias = 127;

[[nodiscard]] constexpr std::uint32_t to_bits(float value) noexcept {
  return std::bit_cast<std::uint32_t>(value);
}

[[nodiscard]] constexpr float from_bits(std::uint32_t bits) noexcept {
  return std::bit_cast<float>(bits);
}

[[nodiscard]] constexpr bool is_nan_bits(std::uint32_t bits) noexcept {
  return (bits & float_magnitude_mask) > float_infinity_bits;
}

[[nodiscard]] constexpr bool is_signaling_nan_bits(std::uint32_t bits) noexcept {
  return is_nan_bits(bits) && (bits & float_quiet_bit) == 0;
}

// The biased exponent and the three leading fraction bits: what glibc's functions branch on.
[[nodiscard]] constexpr std::uint32_t magnitude_top_bits(std::uint32_t bits) noexcept {
  return (bits & float_magnitude_mask) >> 20;
}

}  // namespace pspllm
