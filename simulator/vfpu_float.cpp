#include "simulator/vfpu_float.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace pspllm::simulator {

namespace {

// Results whose exact magnitude is below this become zero; at or above it they round to FLT_MIN.
constexpr double flush_threshold = 0x1p-126 - 0x1p-151;

constexpr Word smallest_normal = 0x00800000;

Word exponent_of(Word a) {
  return (a >> 23) & 0xFFU;
}
DoubleWord mantissa_of(Word a) {
  return (a & 0x007FFFFFU) | 0x00800000U;
}

struct Term {
  DoubleWord magnitude = 0;  // 24 + 2 bits and one of overflow
  int exponent = 0;          // biased; of the product of the two leading bits
  bool negative = false;
};

// Operands that are not finite decide alone. True when they do.
bool special_dot(std::span<const Word> a, std::span<const Word> b, Word& result) {
  bool any = false;
  Word infinity = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (exponent_of(a[i]) != 0xFF && exponent_of(b[i]) != 0xFF) continue;
    const bool indefinite =
        vfpu_is_nan(a[i]) || vfpu_is_nan(b[i]) || vfpu_is_zero(a[i]) || vfpu_is_zero(b[i]);
    const Word signed_infinity = ((a[i] ^ b[i]) & vfpu_sign) | vfpu_infinity;
    if (indefinite || (any && infinity != signed_infinity)) {
      result = vfpu_nan;
      return true;
    }
    infinity = signed_infinity;
    any = true;
  }
  result = infinity;
  return any;
}

Term product_term(Word a, Word b) {
  constexpr unsigned cut = 21;  // 48 bits of product to 27
  const DoubleWord exact = mantissa_of(a) * mantissa_of(b);
  const bool inexact = (exact & ((DoubleWord{1} << cut) - 1U)) != 0;
  return {(exact >> cut) | DoubleWord{inexact}, static_cast<int>(exponent_of(a) + exponent_of(b)) - 127,
          ((a ^ b) & vfpu_sign) != 0};
}

// A signed sum of units 2^(exponent - 127 - 23 - 2) to a float.
Word normalise(SignedDoubleWord sum, int exponent) {
  const Word sign = sum < 0 ? vfpu_sign : 0;
  DoubleWord magnitude = static_cast<DoubleWord>(sum < 0 ? -sum : sum) >> 2U;
  if (magnitude == 0) return 0;
  const int surplus = static_cast<int>(std::bit_width(magnitude)) - 24;
  if (surplus > 0) {
    const DoubleWord half = DoubleWord{1} << (surplus - 1);
    const DoubleWord rest = magnitude & (half * 2U - 1U);
    magnitude >>= surplus;
    if (rest > half || (rest == half && (magnitude & 1U))) ++magnitude;
  } else {
    magnitude <<= -surplus;
  }
  exponent += surplus;
  if (magnitude >> 24U) {
    magnitude >>= 1U;
    ++exponent;
  }
  if (exponent >= 0xFF) return sign | vfpu_infinity;
  if (exponent <= 0) return sign;
  return sign | static_cast<Word>(exponent) << 23U | (static_cast<Word>(magnitude) & 0x007FFFFFU);
}

// True when every lane holds an integer of at most 11 bits: then products and sum are exact, whatever the
// unit keeps.
bool small_integers(std::span<const Word> a, std::array<SignedWord, 4>& values) {
  constexpr Word limit = as_bits(2048.0F);
  bool all = true;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool small = (a[i] & 0x7FFFFFFFU) <= limit;
    values[i] = small ? static_cast<SignedWord>(as_float(a[i])) : 0;
    all = all && small && (as_bits(static_cast<float>(values[i])) == a[i] || (a[i] & 0x7FFFFFFFU) == 0);
  }
  return all;
}

}  // namespace

Word vfpu_multiply_rare(Word a, Word b, Word product) {
  if (vfpu_is_nan(product)) return vfpu_nan;
  const double exact = as_double(vfpu_flush(a)) * as_double(vfpu_flush(b));
  if ((product & 0x7FFFFFFFU) == smallest_normal && std::fabs(exact) < flush_threshold)
    return product & vfpu_sign;
  return vfpu_flush(product);
}

Word vfpu_divide(Word a, Word b) {
  if (vfpu_is_nan(a) || vfpu_is_nan(b)) return vfpu_nan;
  const float x = as_float(vfpu_flush(a));
  const float y = as_float(vfpu_flush(b));
  const Word sign = (a ^ b) & vfpu_sign;
  const Word quotient = as_bits(x / y);
  if (vfpu_is_nan(quotient)) return vfpu_nan | vfpu_sign;  // 0/0 and inf/inf, as in the golden records
  if ((quotient & 0x7FFFFFFFU) == smallest_normal &&
      std::fabs(static_cast<double>(x)) < flush_threshold * std::fabs(static_cast<double>(y)))
    return sign;
  return vfpu_flush(quotient);
}

Word vfpu_dot(std::span<const Word> a, std::span<const Word> b) {
  std::array<SignedWord, 4> x{};
  std::array<SignedWord, 4> y{};
  if (small_integers(a, x) && small_integers(b, y)) {
    SignedWord sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += x[i] * y[i];
    return as_bits(static_cast<float>(sum));
  }
  Word special = 0;
  if (special_dot(a, b, special)) return special;
  std::array<Term, 4> terms{};
  int largest = -1000;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (vfpu_is_zero(a[i]) || vfpu_is_zero(b[i])) continue;
    terms[i] = product_term(a[i], b[i]);
    largest = std::max(largest, terms[i].exponent);
  }
  SignedDoubleWord sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (terms[i].magnitude == 0) continue;
    const auto aligned =
        static_cast<SignedDoubleWord>(terms[i].magnitude >> std::min(largest - terms[i].exponent, 28));
    sum += terms[i].negative ? -aligned : aligned;
  }
  return normalise(sum, largest);
}

namespace {

SignedWord ordered(Word a) {
  return as_signed(a) < 0 ? as_signed(a ^ 0x7FFFFFFFU) : as_signed(a);
}

}  // namespace

Word vfpu_min(Word a, Word b) {
  return ordered(a) < ordered(b) ? a : b;
}
Word vfpu_max(Word a, Word b) {
  return ordered(a) > ordered(b) ? a : b;
}

Word vfpu_from_half(Word half) {
  const Word sign = (half & 0x8000U) << 16U;
  const Word exponent = (half >> 10U) & 0x1FU;
  const Word mantissa = half & 0x3FFU;
  if (exponent == 0) return sign;
  if (exponent == 0x1F) return sign | vfpu_infinity | mantissa;
  return sign | (exponent + (127U - 15U)) << 23U | mantissa << 13U;
}

Word vfpu_to_half(Word a) {
  const Word sign = (a >> 16U) & 0x8000U;
  const Word exponent = exponent_of(a);
  const Word mantissa = a & 0x007FFFFFU;
  if (exponent == 0xFF) return sign | 0x7C00U | (mantissa & 0x3FFU);
  if (exponent <= 127U - 15U) return sign;
  if (exponent >= 127U + 16U) return sign | 0x7C00U;
  return sign | (exponent - (127U - 15U)) << 10U | mantissa >> 13U;
}

}  // namespace pspllm::simulator
