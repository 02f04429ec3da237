#include "simulator/fpu_arithmetic.hpp"

#include <cmath>

namespace pspllm::simulator {

namespace {

constexpr Word sign_bit = 0x80000000;
constexpr Word infinity_bits = 0x7F800000;
constexpr Word largest_bits = 0x7F7FFFFF;
constexpr Word default_nan = 0x7FBFFFFF;
constexpr Word signalling_bit = 0x00400000;

constexpr bool is_nan(Word a) {
  return (a & 0x7FFFFFFFU) > infinity_bits;
}
constexpr bool is_infinite(Word a) {
  return (a & 0x7FFFFFFFU) == infinity_bits;
}
constexpr bool is_zero(Word a) {
  return (a & 0x7FFFFFFFU) == 0;
}
constexpr bool is_signalling(Word a) {
  return is_nan(a) && (a & signalling_bit) != 0;
}

FpuResult nan_result(Word a, Word b) {
  return {default_nan, is_signalling(a) || is_signalling(b) ? fcr31::invalid : 0};
}

// The neighbour of the finite value `a` toward +infinity (up) or -infinity.
Word neighbour(Word a, bool up) {
  if (is_zero(a)) return up ? 1U : (sign_bit | 1U);
  const bool grows = up == ((a & sign_bit) == 0);
  return grows ? a + 1U : a - 1U;
}

// Corrects a result rounded to nearest for the rounding mode, given the sign of (exact - nearest).
Word directed(Word nearest, double error, bool exact_negative, Word mode) {
  if (error == 0.0) return nearest;
  const bool up = mode == 2 || (mode == 1 && exact_negative);  // toward zero is up for negative numbers
  if (is_infinite(nearest)) {
    // Nearest overflowed; the exact value is finite.
    const bool outward = mode == (exact_negative ? 3U : 2U);
    return outward ? nearest : ((nearest & sign_bit) | largest_bits);
  }
  if (up == (error > 0.0)) return neighbour(nearest, up);
  return nearest;
}

// After the operation: overflow, and subnormal results when FS is set.
FpuResult finish(Word bits, bool finite_operands, Word control) {
  FpuResult result{bits, 0};
  if (is_infinite(bits) && finite_operands) result.cause = fcr31::overflow | fcr31::inexact;
  if ((control & fcr31::flush_subnormal) && (bits & infinity_bits) == 0) result.bits = bits & sign_bit;
  return result;
}

bool both_finite(Word a, Word b) {
  return (a & infinity_bits) != infinity_bits && (b & infinity_bits) != infinity_bits;
}

// Sign of (a + b) - rounded, for a and b that are finite.
double sum_error(Word a, Word b, Word rounded) {
  if (is_infinite(rounded)) return (rounded & sign_bit) ? 1.0 : -1.0;
  const double x = as_double(a);
  const double y = as_double(b);
  const double sum = x + y;
  const double part = sum - x;
  const double lost = (x - (sum - part)) + (y - part);
  return (sum - as_double(rounded)) + lost;
}

}  // namespace

FpuResult fpu_add(Word a, Word b, Word control) {
  if (is_nan(a) || is_nan(b)) return nan_result(a, b);
  Word bits = as_bits(as_float(a) + as_float(b));
  if (is_nan(bits)) return {default_nan, fcr31::invalid};
  const bool finite = both_finite(a, b);
  if (const Word mode = control & fcr31::rounding_mask; mode != 0 && finite) {
    if (is_zero(bits) && !(is_zero(a) && is_zero(b) && a == b)) bits = mode == 3 ? sign_bit : 0;
    const bool overflowed = is_infinite(bits);
    bits = directed(bits, sum_error(a, b, bits), (bits & sign_bit) != 0, mode);
    if (overflowed) return {bits, fcr31::overflow | fcr31::inexact};
  }
  return finish(bits, finite, control);
}

FpuResult fpu_subtract(Word a, Word b, Word control) {
  if (is_nan(a) || is_nan(b)) return nan_result(a, b);
  return fpu_add(a, b ^ sign_bit, control);
}

FpuResult fpu_multiply(Word a, Word b, Word control) {
  if (is_nan(a) || is_nan(b)) return nan_result(a, b);
  Word bits = as_bits(as_float(a) * as_float(b));
  if (is_nan(bits)) return {default_nan, fcr31::invalid};
  const bool finite = both_finite(a, b);
  if (const Word mode = control & fcr31::rounding_mask; mode != 0 && finite) {
    const double exact = as_double(a) * as_double(b);
    const bool overflowed = is_infinite(bits);
    const double error = overflowed ? (exact < 0 ? 1.0 : -1.0) : exact - as_double(bits);
    bits = directed(bits, error, (bits & sign_bit) != 0, mode);
    if (overflowed) return {bits, fcr31::overflow | fcr31::inexact};
  }
  return finish(bits, finite, control);
}

FpuResult fpu_divide(Word a, Word b, Word control) {
  if (is_nan(a) || is_nan(b)) return nan_result(a, b);
  if (is_zero(b) && !is_zero(a) && !is_infinite(a))
    return {((a ^ b) & sign_bit) | infinity_bits, fcr31::division_by_zero};
  Word bits = as_bits(as_float(a) / as_float(b));
  if (is_nan(bits)) return {default_nan, fcr31::invalid};
  const bool finite = both_finite(a, b);
  if (const Word mode = control & fcr31::rounding_mask; mode != 0 && finite) {
    const bool negative = (bits & sign_bit) != 0;
    const bool overflowed = is_infinite(bits);
    double error = negative ? 1.0 : -1.0;
    if (!overflowed) {
      const double rest = as_double(a) - as_double(bits) * as_double(b);
      error = (b & sign_bit) ? -rest : rest;
    }
    bits = directed(bits, error, negative, mode);
    if (overflowed) return {bits, fcr31::overflow | fcr31::inexact};
  }
  return finish(bits, finite, control);
}

FpuResult fpu_square_root(Word a, Word control) {
  if (is_nan(a)) return nan_result(a, a);
  if ((a & sign_bit) && !is_zero(a)) return {default_nan, fcr31::invalid};
  Word bits = as_bits(std::sqrt(as_float(a)));
  if (const Word mode = control & fcr31::rounding_mask; mode != 0 && !is_infinite(a)) {
    const double root = as_double(bits);
    bits = directed(bits, as_double(a) - root * root, false, mode);
  }
  return finish(bits, false, control);
}

FpuResult fpu_from_integer(Word a, Word control) {
  const auto value = as_signed(a);
  const Word bits = as_bits(static_cast<float>(value));
  const Word mode = control & fcr31::rounding_mask;
  if (mode == 0) return {bits, 0};
  return {directed(bits, static_cast<double>(value) - as_double(bits), value < 0, mode), 0};
}

FpuResult fpu_to_integer(Word a, Word mode) {
  constexpr Word most = 0x7FFFFFFF;
  if (is_nan(a)) return {most, fcr31::invalid};
  const double value = as_double(a);
  double rounded = 0.0;
  switch (mode & 3U) {
    case 0: {
      rounded = std::floor(value + 0.5);
      if (rounded - value == 0.5 && std::floor(rounded / 2.0) * 2.0 != rounded) rounded -= 1.0;
      break;
    }
    case 1:
      rounded = std::trunc(value);
      break;
    case 2:
      rounded = std::ceil(value);
      break;
    default:
      rounded = std::floor(value);
      break;
  }
  if (rounded >= 2147483648.0) return {most, fcr31::invalid};
  if (rounded < -2147483648.0) return {sign_bit, fcr31::invalid};
  return {as_word(static_cast<SignedWord>(rounded)), 0};
}

FpuResult fpu_compare(Word a, Word b, Word kind) {
  if (is_nan(a) || is_nan(b)) {
    const bool signals = (kind & 8U) != 0 || is_signalling(a) || is_signalling(b);
    return {kind & 1U, signals ? fcr31::invalid : 0};
  }
  const float x = as_float(a);
  const float y = as_float(b);
  const bool holds = ((kind & 4U) && x < y) || ((kind & 2U) && x == y);
  return {Word{holds}, 0};
}

}  // namespace pspllm::simulator
