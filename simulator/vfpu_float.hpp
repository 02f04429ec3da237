#pragma once
// The VFPU's arithmetic on single values, to the bit.
//
// Subnormal operands count as zero of the same sign, subnormal results become zero, every NaN result is
// 0x7F800001, rounding is to nearest even (vfpu-docs introduction.md, ieee754-fun.c). Products and quotients
// flush when the exact result is under FLT_MIN - FLT_TRUE_MIN / 4 (allegrex.md 2.3).
#include <span>

#include "simulator/words.hpp"

namespace pspllm::simulator {

constexpr Word vfpu_nan = 0x7F800001;
constexpr Word vfpu_sign = 0x80000000;
constexpr Word vfpu_infinity = 0x7F800000;
constexpr Word vfpu_one = 0x3F800000;

[[nodiscard]] constexpr bool vfpu_is_nan(Word a) {
  return (a & 0x7FFFFFFFU) > vfpu_infinity;
}
[[nodiscard]] constexpr bool vfpu_is_infinite(Word a) {
  return (a & 0x7FFFFFFFU) == vfpu_infinity;
}
[[nodiscard]] constexpr bool vfpu_is_zero(Word a) {
  return (a & vfpu_infinity) == 0;
}
// Subnormal to zero.
[[nodiscard]] constexpr Word vfpu_flush(Word a) {
  return vfpu_is_zero(a) ? a & vfpu_sign : a;
}

[[nodiscard]] inline Word vfpu_add(Word a, Word b) {
  const Word sum = as_bits(as_float(vfpu_flush(a)) + as_float(vfpu_flush(b)));
  if (vfpu_is_nan(sum)) return vfpu_nan;
  return vfpu_flush(sum);
}

[[nodiscard]] inline Word vfpu_subtract(Word a, Word b) {
  return vfpu_add(a, b ^ vfpu_sign);
}

[[nodiscard]] Word vfpu_multiply_rare(Word a, Word b, Word product);

[[nodiscard]] inline Word vfpu_multiply(Word a, Word b) {
  const Word product = as_bits(as_float(vfpu_flush(a)) * as_float(vfpu_flush(b)));
  const Word magnitude = product & 0x7FFFFFFFU;
  if (magnitude > 0x00800000U && magnitude <= vfpu_infinity) [[likely]]
    return product;
  return vfpu_multiply_rare(a, b, product);
}

[[nodiscard]] Word vfpu_divide(Word a, Word b);

// The sum of products of 2 to 4 lanes as the VFPU's dot-product unit makes it: each product keeps 24 + 2 bits
// (rounded to odd), all are aligned to the largest exponent by truncation and added exactly, the two extra
// bits are dropped, and the sum is normalised, to nearest even if that shortens it.
[[nodiscard]] Word vfpu_dot(std::span<const Word> a, std::span<const Word> b);

// min and max order the bits as sign and magnitude, NaN and infinity included.
[[nodiscard]] Word vfpu_min(Word a, Word b);
[[nodiscard]] Word vfpu_max(Word a, Word b);

// Half precision: subnormals become zero, NaN keeps its bits; to half, the mantissa is cut, not rounded.
[[nodiscard]] Word vfpu_from_half(Word half);
[[nodiscard]] Word vfpu_to_half(Word a);

}  // namespace pspllm::simulator
