#include "engine/math/special_cases.hpp"

#include "engine/math/float_bits.hpp"
#include "engine/math/glibc_constants.hpp"
#include "engine/math/wide_integer.hpp"

namespace pspllm {
namespace {

constexpr SpecialAnswer answer(std::uint32_t bits) noexcept {
  return {.found = true, .bits = bits};
}

enum class Parity : std::uint8_t { not_an_integer, odd, even };

// value: the bits of a finite single that is not zero.
Parity parity_of(std::uint32_t value) noexcept {
  const auto biased_exponent = static_cast<int>((value & float_magnitude_mask) >> float_fraction_bits);
  if (biased_exponent < float_exponent_bias) {
    return Parity::not_an_integer;
  }
  if (biased_exponent > float_exponent_bias + float_fraction_bits) {
    return Parity::even;
  }
  // The bit that weighs 1. Where that is the hidden bit (1 <= |value| < 2), the exponent field's lowest bit
  // stands in its place, and is set.
  const std::uint32_t unit = 1U << (float_exponent_bias + float_fraction_bits - biased_exponent);
  if ((value & (unit - 1U)) != 0) {
    return Parity::not_an_integer;
  }
  return (value & unit) != 0 ? Parity::odd : Parity::even;
}

bool is_zero_infinite_or_nan(std::uint32_t value) noexcept {
  const std::uint32_t magnitude = value & float_magnitude_mask;
  return magnitude == 0 || magnitude >= float_infinity_bits;
}

// x86's choice: the first NaN of the two, made quiet. One of them is a NaN.
std::uint32_t quiet_nan_of(std::uint32_t x, std::uint32_t y) noexcept {
  return (is_nan_bits(x) ? x : y) | float_quiet_bit;
}

// y is zero, infinite or a NaN.
std::uint32_t pow_of_special_exponent(std::uint32_t x, std::uint32_t y) noexcept {
  const std::uint32_t x_magnitude = x & float_magnitude_mask;
  if ((y & float_magnitude_mask) == 0) {
    return is_signaling_nan_bits(x) ? quiet_nan_of(x, y) : float_one_bits;
  }
  if (x == float_one_bits) {
    return is_signaling_nan_bits(y) ? quiet_nan_of(x, y) : float_one_bits;
  }
  if (is_nan_bits(x) || is_nan_bits(y)) {
    return quiet_nan_of(x, y);
  }
  if (x_magnitude == float_one_bits) {
    return float_one_bits;
  }
  const bool shrinks = x_magnitude < float_one_bits;
  const bool positive = (y & float_sign_bit) == 0;
  return shrinks == positive ? 0U : float_infinity_bits;
}

// x is zero, infinite or a NaN, y finite and not zero.
std::uint32_t pow_of_special_base(std::uint32_t x, std::uint32_t y) noexcept {
  const bool odd = parity_of(y) == Parity::odd;
  if (is_nan_bits(x)) {
    // glibc squares x and negates the square of a negative one: a NaN loses its sign.
    return (odd ? x & float_magnitude_mask : x) | float_quiet_bit;
  }
  const bool grows = ((x & float_magnitude_mask) != 0) == ((y & float_sign_bit) == 0);
  const std::uint32_t sign = odd ? x & float_sign_bit : 0U;
  return sign | (grows ? float_infinity_bits : 0U);
}

std::uint32_t normalise_subnormal(std::uint32_t magnitude) noexcept {
  const int shift = leading_zeros(magnitude) - (31 - float_fraction_bits);
  return (magnitude << shift) - (static_cast<std::uint32_t>(shift) << float_fraction_bits);
}

}  // namespace

SpecialAnswer exp_special_answer(std::uint32_t x) noexcept {
  if (is_nan_bits(x)) {
    return answer(x | float_quiet_bit);
  }
  if ((x & float_sign_bit) == 0) {
    return x > glibc::exp_overflow_above ? answer(float_infinity_bits) : SpecialAnswer{};
  }
  if (x > glibc::exp_zero_below) {
    return answer(0);
  }
  return x > glibc::exp_smallest_below ? answer(float_smallest_subnormal_bits) : SpecialAnswer{};
}

PowOperands pow_operands(std::uint32_t x, std::uint32_t y) noexcept {
  if (is_zero_infinite_or_nan(y)) {
    return {.answer = answer(pow_of_special_exponent(x, y))};
  }
  if (is_zero_infinite_or_nan(x)) {
    return {.answer = answer(pow_of_special_base(x, y))};
  }
  PowOperands operands{.answer = {}, .base = x & float_magnitude_mask};
  if ((x & float_sign_bit) != 0) {
    const Parity parity = parity_of(y);
    if (parity == Parity::not_an_integer) {
      return {.answer = answer(float_invalid_bits)};
    }
    operands.sign = parity == Parity::odd ? float_sign_bit : 0U;
  }
  if (operands.base < float_smallest_normal_bits) {
    operands.base = normalise_subnormal(operands.base);
  }
  return operands;
}

std::uint32_t sine_of_infinity_or_nan(std::uint32_t x) noexcept {
  return is_nan_bits(x) ? x | float_quiet_bit : float_invalid_bits;
}

LargeAngle reduce_large_angle(std::uint32_t angle) noexcept {
  // The 24-bit significand times those 96 bits of 4 / pi that decide the angle's place in the circle.
  const std::uint32_t first = (angle >> 26) & 15U;
  const std::uint32_t shift = (angle >> float_fraction_bits) & 7U;
  const std::uint32_t significand = ((angle & 0x7fffffU) | 0x800000U) << shift;
  const std::uint32_t high = significand * glibc::four_over_pi[first];
  const std::uint64_t middle = std::uint64_t{significand} * glibc::four_over_pi[first + 4];
  const std::uint64_t low = std::uint64_t{significand} * glibc::four_over_pi[first + 8];
  const std::uint64_t turns = ((std::uint64_t{high} << 32) | (low >> 32)) + middle;
  const std::uint64_t quadrant = (turns + (std::uint64_t{1} << 61)) >> 62;
  return {.fraction = static_cast<std::int64_t>(turns - (quadrant << 62)),
          .quadrant = static_cast<std::uint32_t>(quadrant)};
}

}  // namespace pspllm
