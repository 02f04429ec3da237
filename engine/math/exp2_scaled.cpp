#include "engine/math/exp2_scaled.hpp"

namespace pspllm {

SoftDouble exp2_scaled(std::int32_t k, const SoftDouble& remainder,
                       const glibc::Exp2Polynomial& polynomial) noexcept {
  SoftDouble scale =
      soft_double_from_bits(glibc::exp2_table[static_cast<std::uint32_t>(k) & (glibc::exp2_table_size - 1)]);
  scale.exponent += k >> glibc::exp2_table_bits;
  const SoftDouble high = fused_multiply_add(soft_double_from_bits(polynomial.cubic), remainder,
                                             soft_double_from_bits(polynomial.quadratic));
  const SoftDouble square = multiply(remainder, remainder);
  const SoftDouble low = fused_multiply_add(remainder, soft_double_from_bits(polynomial.linear),
                                            soft_double_from_bits(glibc::one));
  return multiply(fused_multiply_add(high, square, low), scale);
}

}  // namespace pspllm
