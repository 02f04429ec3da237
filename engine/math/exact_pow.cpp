#include <cstdint>

#include "engine/math/exact_math.hpp"
#include "engine/math/exp2_scaled.hpp"
#include "engine/math/float_bits.hpp"
#include "engine/math/glibc_constants.hpp"
#include "engine/math/soft_double.hpp"
#include "engine/math/special_cases.hpp"

namespace pspllm {
namespace {

// base: that of PowOperands.
SoftDouble log2_of(std::uint32_t base) noexcept {
  constexpr std::uint32_t exponent_mask = 0xff800000U;
  const std::uint32_t offset = base - glibc::log2_first_interval;
  const std::uint32_t interval =
      (offset >> (float_fraction_bits - glibc::log2_table_bits)) & (glibc::log2_table_size - 1);
  const auto exponent = static_cast<std::int32_t>(offset & exponent_mask) >> float_fraction_bits;
  const SoftDouble significand = soft_double_from_float_bits(base - (offset & exponent_mask));
  const glibc::Log2Interval& entry = glibc::log2_table[interval];
  const auto coefficient = [](std::size_t index) {
    return soft_double_from_bits(glibc::log2_polynomial[index]);
  };

  // log2(base) = log2(1 + r) + log2(centre) + exponent.
  const SoftDouble r = fused_multiply_add(significand, soft_double_from_bits(entry.inverse_centre),
                                          soft_double_from_bits(glibc::minus_one));
  const SoftDouble constant = add(soft_double_from_int32(exponent), soft_double_from_bits(entry.log2_centre));
  const SoftDouble high = fused_multiply_add(coefficient(0), r, coefficient(1));
  const SoftDouble middle = fused_multiply_add(coefficient(2), r, coefficient(3));
  const SoftDouble low = fused_multiply_add(r, coefficient(4), constant);
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
  const PowOperands operands = pow_operands(to_bits(x), to_bits(y));
  if (operands.answer.found) {
    return from_bits(operands.answer.bits);
  }
  const SoftDouble log2_result = multiply(soft_double_from_float_bits(to_bits(y)), log2_of(operands.base));
  return from_bits(operands.sign | exp2_of(log2_result));
}

}  // namespace pspllm
