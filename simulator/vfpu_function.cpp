#include "simulator/vfpu_function.hpp"

#include <cmath>

#include "simulator/vfpu_float.hpp"

namespace pspllm::simulator {

namespace {

constexpr double half_pi = 1.5707963267948966;
constexpr double ln2 = 0.6931471805599453;

// To the VFPU's 22 bits, by truncation.
Word cut(double value) {
  const Word bits = as_bits(static_cast<float>(value));
  if ((bits & vfpu_infinity) == vfpu_infinity) return bits;
  // The conversion may have rounded up past a multiple of four units; step back then.
  Word result = bits & ~Word{3};
  if (std::fabs(as_double(result)) > std::fabs(value)) result -= 4U;
  return vfpu_flush(result);
}

double number(Word a) {
  return as_double(vfpu_flush(a));
}

// sin(x * pi / 2) for x in [0, 1], by its Taylor series.
double quarter_sine(double x) {
  const double angle = x * half_pi;
  const double square = angle * angle;
  double term = angle;
  double sum = angle;
  for (int i = 1; i <= 10; ++i) {
    term *= -square / (2.0 * i * (2.0 * i + 1.0));
    sum += term;
  }
  return sum;
}

// sin(x * pi / 2) for x in [0, 4).
double turn_sine(double x) {
  const bool negative = x >= 2.0;
  const double half = negative ? x - 2.0 : x;
  const double value = quarter_sine(half > 1.0 ? 2.0 - half : half);
  return negative ? -value : value;
}

double natural_exponential(double x) {
  double term = 1.0;
  double sum = 1.0;
  for (int i = 1; i <= 18; ++i) {
    term *= x / i;
    sum += term;
  }
  return sum;
}

// asin for x in [0, 0.5], by its series.
double small_arcsine(double x) {
  double power = x;
  double factor = 1.0;
  double sum = x;
  for (int i = 1; i <= 24; ++i) {
    factor *= (2.0 * i - 1.0) / (2.0 * i);
    power *= x * x;
    sum += factor * power / (2.0 * i + 1.0);
  }
  return sum;
}

}  // namespace

Word vfpu_reciprocal(Word a) {
  if (vfpu_is_nan(a)) return vfpu_nan | (a & vfpu_sign);
  if (vfpu_is_zero(a)) return vfpu_infinity | (a & vfpu_sign);
  if (vfpu_is_infinite(a)) return a & vfpu_sign;
  return cut(1.0 / number(a));
}

Word vfpu_reciprocal_root(Word a) {
  if (vfpu_is_zero(a)) return vfpu_infinity | (a & vfpu_sign);
  if (vfpu_is_nan(a) || (a & vfpu_sign)) return vfpu_nan | (a & vfpu_sign);
  if (vfpu_is_infinite(a)) return 0;
  return cut(1.0 / std::sqrt(number(a)));
}

Word vfpu_root(Word a) {
  if (vfpu_is_zero(a)) return 0;
  if (vfpu_is_nan(a) || (a & vfpu_sign)) return vfpu_nan;
  if (vfpu_is_infinite(a)) return a;
  return cut(std::sqrt(number(a)));
}

Word vfpu_exp2(Word a) {
  if (vfpu_is_nan(a)) return vfpu_nan;
  const double x = number(a);
  if (x >= 128.0) return vfpu_infinity;
  if (x <= -127.0) return 0;
  const double whole = std::floor(x);
  const double fraction = natural_exponential((x - whole) * ln2);
  return cut(std::ldexp(fraction, static_cast<int>(whole)));
}

Word vfpu_log2(Word a) {
  if (vfpu_is_zero(a)) return vfpu_infinity | vfpu_sign;
  if (vfpu_is_nan(a) || (a & vfpu_sign)) return vfpu_nan;
  if (vfpu_is_infinite(a)) return a;
  const int exponent = static_cast<int>((a >> 23U) & 0xFFU) - 127;
  const double mantissa = as_double((a & 0x007FFFFFU) | vfpu_one);
  // log(m) = 2 artanh((m - 1) / (m + 1))
  const double ratio = (mantissa - 1.0) / (mantissa + 1.0);
  double power = ratio;
  double sum = 0.0;
  for (int i = 0; i < 20; ++i) {
    sum += power / (2.0 * i + 1.0);
    power *= ratio * ratio;
  }
  return cut(exponent + 2.0 * sum / ln2);
}

Word vfpu_sine(Word a) {
  if (vfpu_is_nan(a) || vfpu_is_infinite(a)) return vfpu_nan;
  constexpr double smallest = 0x1p-23;  // below: 0 (allegrex.md 2.3)
  const double x = number(a);
  const Word sign = a & vfpu_sign;
  if (std::fabs(x) < smallest) return sign;
  return cut(turn_sine(std::fmod(std::fabs(x), 4.0))) ^ sign;
}

Word vfpu_cosine(Word a) {
  if (vfpu_is_nan(a) || vfpu_is_infinite(a)) return vfpu_nan;
  const double x = std::fmod(std::fabs(number(a)), 4.0);
  return cut(turn_sine(x + 1.0 >= 4.0 ? x - 3.0 : x + 1.0));
}

Word vfpu_arcsine(Word a) {
  const double x = std::fabs(number(a));
  if (vfpu_is_nan(a) || x > 1.0) return vfpu_nan | (a & vfpu_sign);
  const double angle =
      x <= 0.5 ? small_arcsine(x) : half_pi - 2.0 * small_arcsine(std::sqrt((1.0 - x) / 2.0));
  return cut(angle / half_pi) | (a & vfpu_sign);
}

}  // namespace pspllm::simulator
