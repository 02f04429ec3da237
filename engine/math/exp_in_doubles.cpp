#include "engine/math/exp_in_doubles.hpp"

#include <cstdint>

#include "engine/math/exp2_scaled.hpp"
#include "engine/math/float_bits.hpp"
#include "engine/math/glibc_constants.hpp"
#include "engine/math/soft_double.hpp"
#include "engine/math/special_cases.hpp"

namespace pspllm {

float exp_in_doubles(float x) noexcept {
  const std::uint32_t bits = to_bits(x);
  if (magnitude_top_bits(bits) >= glibc::exp_special_from) {
    const SpecialAnswer special = exp_special_answer(bits);
    if (special.found) {
      return from_bits(special.bits);
    }
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
