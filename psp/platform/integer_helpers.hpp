// 64-bit arithmetic that the compiler expects from its run-time library. The stock library is of another
// calling convention (psp-build.md), so the program brings its own. Plain functions, tested on the host
// against the host's.
#pragma once

#include <bit>
#include <cstdint>

namespace pspllm::psp::helpers {

struct Halves {
  std::uint32_t low;
  std::uint32_t high;
};

[[nodiscard]] constexpr Halves split(std::uint64_t value) {
  return {static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32U)};
}

[[nodiscard]] constexpr std::uint64_t join(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32U | low;
}

// Shifts by 0..63, from 32-bit shifts only: a 64-bit shift here would become a call of itself.

[[nodiscard]] constexpr std::uint64_t shift_left(std::uint64_t value, unsigned count) {
  const Halves half = split(value);
  if (count == 0) return value;
  if (count >= 32) return join(half.low << (count - 32U), 0);
  return join(half.high << count | half.low >> (32U - count), half.low << count);
}

[[nodiscard]] constexpr std::uint64_t shift_right(std::uint64_t value, unsigned count) {
  const Halves half = split(value);
  if (count == 0) return value;
  if (count >= 32) return join(0, half.high >> (count - 32U));
  return join(half.high >> count, half.low >> count | half.high << (32U - count));
}

[[nodiscard]] constexpr std::int64_t shift_right_signed(std::int64_t value, unsigned count) {
  const Halves half = split(static_cast<std::uint64_t>(value));
  const auto high = static_cast<std::int32_t>(half.high);
  if (count == 0) return value;
  if (count >= 32) {
    return static_cast<std::int64_t>(
        join(static_cast<std::uint32_t>(high >> 31), static_cast<std::uint32_t>(high >> (count - 32U))));
  }
  return static_cast<std::int64_t>(
      join(static_cast<std::uint32_t>(high >> count), half.low >> count | half.high << (32U - count)));
}

[[nodiscard]] constexpr unsigned leading_zeros(std::uint64_t value) {
  const Halves half = split(value);
  return static_cast<unsigned>(half.high != 0 ? std::countl_zero(half.high)
                                              : 32 + std::countl_zero(half.low));
}

struct Quotient {
  std::uint64_t quotient;
  std::uint64_t remainder;
};

/// Bit by bit, from the first bit that the quotient can have. Dividing by zero gives quotient 0 and the
/// dividend, as good as any answer: nothing of ours divides by zero.
[[nodiscard]] constexpr Quotient divide(std::uint64_t dividend, std::uint64_t divisor) {
  const Halves top = split(dividend);
  const Halves bottom = split(divisor);
  if (divisor == 0) return {0, dividend};
  if (top.high == 0 && bottom.high == 0) return {top.low / bottom.low, top.low % bottom.low};
  if (dividend < divisor) return {0, dividend};
  Quotient result{0, dividend};
  const unsigned first = leading_zeros(divisor) - leading_zeros(dividend);
  std::uint64_t shifted = shift_left(divisor, first);
  for (unsigned step = 0; step <= first; ++step) {
    result.quotient = shift_left(result.quotient, 1);
    if (result.remainder >= shifted) {
      result.remainder -= shifted;
      result.quotient |= 1U;
    }
    shifted = shift_right(shifted, 1);
  }
  return result;
}

[[nodiscard]] constexpr std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
}

[[nodiscard]] constexpr std::int64_t with_sign(std::uint64_t value, bool negative) {
  return static_cast<std::int64_t>(negative ? ~value + 1 : value);
}

/// To the nearest float, ties to even.
[[nodiscard]] constexpr float to_float(std::uint64_t value) {
  constexpr unsigned significand_bits = 24;
  constexpr std::uint32_t exponent_bias = 127;
  if (value == 0) return 0.0F;
  const unsigned zeros = leading_zeros(value);
  std::uint32_t exponent = exponent_bias + 63U - zeros;
  const std::uint64_t aligned = shift_left(value, zeros);  // the leading one in bit 63
  const Halves half = split(aligned);
  std::uint32_t significand = half.high >> (32U - significand_bits);
  const std::uint32_t rest_high = half.high & 0xFFU;
  const bool more_than_half = rest_high > 0x80U || (rest_high == 0x80U && half.low != 0);
  const bool exactly_half = rest_high == 0x80U && half.low == 0;
  if (more_than_half || (exactly_half && (significand & 1U) != 0)) ++significand;
  if (significand >> significand_bits != 0) {
    significand >>= 1U;
    ++exponent;
  }
  return std::bit_cast<float>(exponent << 23U | (significand & 0x7FFFFFU));
}

/// Towards zero; values that do not fit give the nearest that does, NaN gives 0.
[[nodiscard]] constexpr std::uint64_t to_unsigned(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t exponent = bits >> 23U & 0xFFU;
  const bool is_nan = exponent == 0xFF && (bits & 0x7FFFFFU) != 0;
  if (bits >> 31U != 0 || exponent < 127 || is_nan) return 0;
  if (exponent >= 127 + 64) return UINT64_MAX;
  const std::uint64_t significand = (bits & 0x7FFFFFU) | 0x800000U;
  const std::uint32_t power = exponent - 127;
  return power >= 23 ? shift_left(significand, power - 23) : shift_right(significand, 23 - power);
}

[[nodiscard]] constexpr std::int64_t to_signed(float value) {
  constexpr std::uint64_t limit = std::uint64_t{1} << 63U;
  const bool negative = std::bit_cast<std::uint32_t>(value) >> 31U != 0;
  const std::uint64_t size = to_unsigned(negative ? -value : value);
  if (size >= limit) return negative ? INT64_MIN : INT64_MAX;
  return with_sign(size, negative);
}

}  // namespace pspllm::psp::helpers
