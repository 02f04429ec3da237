#include <cstdint>

#include "engine/math/exact_math.hpp"
#include "engine/math/exp2_scaled.hpp"
#include "engine/math/float_bits.hpp"
#include "engine/math/glibc_constants.hpp"
#include "engine/math/soft_double.hpp"

namespace pspllm {
namespace {

enum class Parity : std::uint8_t { not_an_integer, odd, even };

// finite, not zero.
Parity parity_of(std::uint32_t bits) noexcept {
  const auto biased_exponent = static_cast<int>((bits & float_magnitude_mask) >> float_fraction_bits);
  if (biased_exponent < float_exponent_bias) {
    return Parity::not_an_integer;
  }
  if (biased_exponent > float_exponent_bias + float_fraction_bits) {
    return Parity::even;
  }
  // The bit that weighs 1; at the exponent of 1 itself it is the hidden bit, and the exponent field's lowest
  // bit is set there too.
  const std::uint32_t unit = 1U << (float_exponent_bias + float_fraction_bits - biased_exponent);
  if ((bits & (unit - 1U)) != 0) {
    return Parity::not_an_integer;
  }
  return (bits & unit) != 0 ? Parity::odd : Parity::even;
}

bool is_zero_infinite_or_nan(std::uint32_t bits) noexcept {
  const std::uint32_t magnitude = bits & float_magnitude_mask;
  return magnitude == 0 || magnitude >= float_infinity_bits;
}

// x86: the first NaN of the two, made quiet. One of them is a NaN.
std::uint32_t quiet_nan_of(std::uint32_t x, std::uint32_t y) noexcept {
  return (is_nan_bits(x) ? x : y) | float_quiet_bit;
}

// y is zero, infinite or a NaN.
std::uint32_t pow_special_exponent(std::uint32_t x, std::uint32_t y) noexcept {
  const std::uint32_t x_magnitude = x & float_magnitude_mask;
  const std::uint32_t y_magnitude = y & float_magnitude_mask;
  if (y_magnitude == 0) {
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
std::uint32_t pow_special_base(std::uint32_t x, std::uint32_t y) noexcept {
  const bool odd = parity_of(y) == Parity::odd;
  if (is_nan_bits(x)) {
    // glibc squares x and negates the square of a negative one: a NaN loses its sign.
    return (odd ? x & float_magnitude_mask : x) | float_quiet_bit;
  }
  const bool grows = ((x & float_magnitude_mask) != 0) == ((y & float_sign_bit) == 0);
  const std::uint32_t sign = odd ? x & float_sign_bit : 0U;
  return sign | (grows ? float_infinity_bits : 0U);
}

// The bits of a positive single whose exponent field may have gone below zero: x = 2^exponent * significand.
std::uint32_t normalise_subnormal(std::uint32_t magnitude) noexcept {
  const int shift = leading_zeros(magnitude) - (31 - float_fraction_bits);
  return (magnitude << shift) - (static_cast<std::uint32_t>(shift) << float_fraction_bits);
}

// x: normalised, positive. Modulo 2^32 its exponent field may be negative.
SoftDouble log2_of(std::uint32_t x) noexcept {
  constexpr std::uint32_t exponent_mask = 0xff800000U;
  const std::uint32_t offset = x - glibc::log2_first_interval;
  const std::uint32_t interval =
      (offset >> (float_fraction_bits - glibc::log2_table_bits)) & (glibc::log2_table_size - 1);
  const auto exponent = static_cast<std::int32_t>(offset & exponent_mask) >> float_fraction_bits;
  const SoftDouble significand = soft_double_from_float_bits(x - (offset & exponent_mask));
  const glibc::Log2Interval& entry = glibc::log2_table[interval];
  const auto coefficient = [](std::size_t index) {
    return soft_double_from_bits(glibc::log2_polynomial[index]);
  };

  // log2(x) = log2(1 + r) + log2(centre) + exponent.
  const SoftDouble r = fused_multiply_add(significand, soft_double_from_bits(entry.inverse_centre),
                                          soft_double_from_bits(glibc::minus_one));
  const SoftDouble base = add(soft_double_from_int32(exponent), soft_double_from_bits(entry.log2_centre));
  const SoftDouble high = fused_multiply_add(coefficient(0), r, coefficient(1));
  const SoftDouble middle = fused_multiply_add(coefficient(2), r, coefficient(3));
  const SoftDouble low = fused_multiply_add(r, coefficient(4), base);
  const SoftDouble r2 = multiply(r, r);
  const SoftDouble r4 = multiply(r2, r2);
  return fused_multiply_add(high, r4, fused_multiply_add(r2, middle, low));
}

// 2^x without a sign, as the bits of a single.
std::uint32_t exp2_of(const SoftDouble& x) noexcept {
  constexpr SoftDouble overflow_above = soft_double_from_bits(glibc::pow_overflow_above);
  constexpr SoftDouble zero_up_to = soft_double_from_bits(glibc::pow_zero_up_to);
  constexpr SoftDouble smallest_below = soft_double_from_bits(glibc::pow_smallest_below);
  // |x| >= 64: cheap to tell, and none of the bounds lies below it.
  if (!is_zero(x) && x.exponent >= 6) {
    if (is_less(overflow_above, x)) {
      return float_infinity_bits;
    }
    if (!is_less(zero_up_to, x)) {
      return 0;
    }
    if (is_less(x, smallest_below)) {
      return float_smallest_subnormal_bits;
    }
  }
  constexpr SoftDouble shift = soft_double_from_bits(glibc::round_to_32nd_shift);
  const SoftDouble shifted = add(x, shift);
  const auto k = static_cast<std::int32_t>(static_cast<std::uint32_t>(shifted.significand >> 11));
  const SoftDouble rounded = add(shifted, negate(shift));
  return round_to_float_bits(exp2_scaled(k, add(x, negate(rounded)), glibc::exp2_polynomial));
}

}  // namespace

float exact_pow(float x, float y) noexcept {
  std::uint32_t x_bits = to_bits(x);
  const std::uint32_t y_bits = to_bits(y);
  if (is_zero_infinite_or_nan(y_bits)) {
    return from_bits(pow_special_exponent(x_bits, y_bits));
  }
  if (is_zero_infinite_or_nan(x_bits)) {
    return from_bits(pow_special_base(x_bits, y_bits));
  }
  std::uint32_t sign = 0;
  if ((x_bits & float_sign_bit) != 0) {
    const Parity parity = parity_of(y_bits);
    if (parity == Parity::not_an_integer) {
      return from_bits(float_invalid_bits);
    }
    sign = parity == Parity::odd ? float_sign_bit : 0U;
    x_bits &= float_magnitude_mask;
  }
  if (x_bits < float_smallest_normal_bits) {
    x_bits = normalise_subnormal(x_bits);
  }
  return from_bits(sign | exp2_of(multiply(soft_double_from_float_bits(y_bits), log2_of(x_bits))));
}

}  // namespace pspllm
