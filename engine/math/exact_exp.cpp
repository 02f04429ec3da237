#include <cstdint>

#include "engine/math/exact_math.hpp"
#include "engine/math/exp2_scaled.hpp"
#include "engine/math/float_bits.hpp"
#include "engine/math/glibc_constants.hpp"
#include "engine/math/soft_double.hpp"

namespace pspllm {
namespace {

bool is_above(std::uint32_t bits, std::uint32_t positive_bound) noexcept {
  return (bits & float_sign_bit) == 0 && bits > positive_bound;
}

bool is_below(std::uint32_t bits, std::uint32_t negative_bound) noexcept {
  return bits > negative_bound;
}

// |x| >= 88 that has an answer without arithmetic; false where it needs the polynomial after all.
bool exp_special(std::uint32_t x, std::uint32_t& result) noexcept {
  if (is_nan_bits(x)) {
    result = x | float_quiet_bit;
  } else if (is_above(x, glibc::exp_overflow_above)) {
    result = float_infinity_bits;
  } else if (is_below(x, glibc::exp_zero_below)) {
    result = 0;
  } else if (is_below(x, glibc::exp_smallest_below)) {
    result = float_smallest_subnormal_bits;
  } else {
    return false;
  }
  return true;
}

}  // namespace

float exact_exp(float x) noexcept {
  const std::uint32_t bits = to_bits(x);
  std::uint32_t result = 0;
  if (magnitude_top_bits(bits) >= glibc::exp_special_from && exp_special(bits, result)) {
    return from_bits(result);
  }
  // x 32 / ln 2 = k + remainder.
  constexpr SoftDouble scale = soft_double_from_bits(glibc::exp_inverse_ln2_scaled);
  constexpr SoftDouble shift = soft_double_from_bits(glibc::round_to_integer_shift);
  const SoftDouble wide = soft_double_from_float_bits(bits);
  const SoftDouble shifted = fused_multiply_add(scale, wide, shift);
  const auto k = static_cast<std::int32_t>(static_cast<std::uint32_t>(shifted.significand >> 11));
  const SoftDouble remainder = fused_multiply_add(scale, wide, soft_double_from_int32(-k));
  return from_bits(round_to_float_bits(exp2_scaled(k, remainder, glibc::exp2_polynomial_scaled)));
}

}  // namespace pspllm
