#pragma once

#include <cstdint>

#include "engine/math/float_bits.hpp"
#include "engine/math/wide_integer.hpp"

// Exact IEEE-754 double arithmetic (round to nearest, ties to even) on 32-bit integers: the PSP has no
// double.
//
// Only what the exact elementary functions need: every value is zero or finite, and the exponent has no
// limits, so there are no infinities, NaNs and subnormals. Inside the range of normal doubles each operation
// gives the bits that hardware gives. Zero has no sign.
namespace pspllm {

struct SoftDouble {
  // Zero, or bit 63 set and the low 11 bits clear: 53 significant bits.
  std::uint64_t significand = 0;
  // The weight of bit 63 is 2^exponent.
  std::int32_t exponent = 0;
  bool negative = false;
};

[[nodiscard]] constexpr bool is_zero(const SoftDouble& value) noexcept {
  return value.significand == 0;
}

[[nodiscard]] constexpr SoftDouble negate(const SoftDouble& value) noexcept {
  return {.significand = value.significand, .exponent = value.exponent, .negative = !value.negative};
}

// The double with these bits: zero or normal.
[[nodiscard]] constexpr SoftDouble soft_double_from_bits(std::uint64_t bits) noexcept {
  if ((bits << 1) == 0) {
    return {};
  }
  return {.significand = (bits << 11) | (std::uint64_t{1} << 63),
          .exponent = static_cast<std::int32_t>((bits >> 52) & 0x7ffU) - 1023,
          .negative = (bits >> 63) != 0};
}

// The single with these bits, exactly: zero, subnormal or normal.
[[nodiscard]] constexpr SoftDouble soft_double_from_float_bits(std::uint32_t bits) noexcept {
  const std::uint32_t magnitude = bits & float_magnitude_mask;
  if (magnitude == 0) {
    return {};
  }
  const bool negative = (bits & float_sign_bit) != 0;
  const auto biased_exponent = static_cast<std::int32_t>(magnitude >> float_fraction_bits);
  if (biased_exponent == 0) {
    const int shift = leading_zeros(magnitude);
    return {.significand = std::uint64_t{magnitude << shift} << 32,
            .exponent = 31 - shift - (float_exponent_bias - 1 + float_fraction_bits),
            .negative = negative};
  }
  return {.significand = std::uint64_t{(magnitude << 8) | float_sign_bit} << 32,
          .exponent = biased_exponent - float_exponent_bias,
          .negative = negative};
}

// The integer, exactly.
[[nodiscard]] SoftDouble soft_double_from_int32(std::int32_t value) noexcept;

// The integer, rounded to 53 bits as a conversion instruction does.
[[nodiscard]] SoftDouble soft_double_from_int64(std::int64_t value) noexcept;

[[nodiscard]] SoftDouble add(const SoftDouble& left, const SoftDouble& right) noexcept;

[[nodiscard]] SoftDouble multiply(const SoftDouble& left, const SoftDouble& right) noexcept;

// left * right + addend, rounded once.
[[nodiscard]] SoftDouble fused_multiply_add(const SoftDouble& left, const SoftDouble& right,
                                            const SoftDouble& addend) noexcept;

// Towards zero; |value| < 2^31.
[[nodiscard]] std::int32_t truncate_to_int32(const SoftDouble& value) noexcept;

// The nearest integer, ties to even; |value| < 2^30.
[[nodiscard]] std::int32_t round_to_int32(const SoftDouble& value) noexcept;

// The bits of the nearest single, ties to even; subnormal, zero or infinite where the value asks for it.
[[nodiscard]] std::uint32_t round_to_float_bits(const SoftDouble& value) noexcept;

[[nodiscard]] bool is_less(const SoftDouble& left, const SoftDouble& right) noexcept;

}  // namespace pspllm
