#include "engine/math/host/fma_math.hpp"

#include "engine/math/host/target.hpp"

#if defined(__x86_64__) || defined(__aarch64__)

#include <bit>
#include <cstdint>

#include "engine/math/exact_math.hpp"
#include "engine/math/float_bits.hpp"
#include "engine/math/glibc_constants.hpp"
#include "engine/math/host/exp_many.hpp"
#include "engine/math/special_cases.hpp"

// Each expression below has the order and the fusing of its integer twin (engine/math/exact_*.cpp). The
// compiler adds no fusing of its own: -ffp-contract=off.
namespace pspllm::host {
namespace {

constexpr double as_double(std::uint64_t bits) noexcept {
  return std::bit_cast<double>(bits);
}

PSPLLM_TARGET_FMA double fused(double left, double right, double addend) noexcept {
  return __builtin_fma(left, right, addend);
}

PSPLLM_TARGET_FMA double exp2_scaled(std::int64_t k, double remainder,
                                     const glibc::Exp2Polynomial& polynomial) noexcept {
  constexpr std::int64_t table_mask = glibc::exp2_table_size - 1;
  const std::uint64_t table_bits = glibc::exp2_table[static_cast<std::uint64_t>(k & table_mask)];
  const auto exponent = static_cast<std::uint64_t>(k >> glibc::exp2_table_bits);
  const double scale = as_double(table_bits + (exponent << 52));
  const double high = fused(as_double(polynomial.cubic), remainder, as_double(polynomial.quadratic));
  const double square = remainder * remainder;
  const double low = fused(remainder, as_double(polynomial.linear), 1.0);
  return fused(high, square, low) * scale;
}

// base: that of PowOperands.
PSPLLM_TARGET_FMA double log2_of(std::uint32_t base) noexcept {
  constexpr std::uint32_t exponent_mask = 0xff800000U;
  const std::uint32_t offset = base - glibc::log2_first_interval;
  const std::uint32_t interval =
      (offset >> (float_fraction_bits - glibc::log2_table_bits)) & (glibc::log2_table_size - 1);
  const auto exponent = static_cast<std::int32_t>(offset & exponent_mask) >> float_fraction_bits;
  const double significand = static_cast<double>(from_bits(base - (offset & exponent_mask)));
  const glibc::Log2Interval& entry = glibc::log2_table[interval];
  constexpr const auto& polynomial = glibc::log2_polynomial;

  const double r = fused(significand, as_double(entry.inverse_centre), -1.0);
  const double constant = static_cast<double>(exponent) + as_double(entry.log2_centre);
  const double high = fused(as_double(polynomial[0]), r, as_double(polynomial[1]));
  const double middle = fused(as_double(polynomial[2]), r, as_double(polynomial[3]));
  const double low = fused(r, as_double(polynomial[4]), constant);
  const double r2 = r * r;
  const double r4 = r2 * r2;
  return fused(high, r4, fused(r2, middle, low));
}

PSPLLM_TARGET_FMA float exp2_of(double x) noexcept {
  if (x > as_double(glibc::pow_overflow_above)) {
    return from_bits(float_infinity_bits);
  }
  if (x <= as_double(glibc::pow_zero_up_to)) {
    return 0.0F;
  }
  if (x < as_double(glibc::pow_smallest_below)) {
    return from_bits(float_smallest_subnormal_bits);
  }
  constexpr double shift = as_double(glibc::round_to_32nd_shift);
  const double shifted = x + shift;
  const auto k = static_cast<std::int32_t>(std::bit_cast<std::uint64_t>(shifted));
  return static_cast<float>(exp2_scaled(k, x - (shifted - shift), glibc::exp2_polynomial));
}

PSPLLM_TARGET_FMA float sine_near_zero(double x) noexcept {
  constexpr const auto& polynomial = glibc::sine_polynomial;
  const double x2 = x * x;
  const double high = fused(as_double(polynomial[2]), x2, as_double(polynomial[1]));
  const double x3 = x2 * x;
  const double x5 = x2 * x3;
  return static_cast<float>(fused(high, x5, fused(x3, as_double(polynomial[0]), x)));
}

PSPLLM_TARGET_FMA float cosine_near_zero(double x) noexcept {
  constexpr const auto& polynomial = glibc::cosine_polynomial;
  const double x2 = x * x;
  const double x4 = x2 * x2;
  const double x6 = x2 * x4;
  const double high = fused(as_double(polynomial[3]), x2, as_double(polynomial[2]));
  const double low = fused(x2, as_double(polynomial[0]), 1.0);
  return static_cast<float>(fused(high, x6, fused(x4, as_double(polynomial[1]), low)));
}

struct ReducedAngle {
  double remainder = 0.0;
  std::uint32_t quadrant = 0;
  bool negated = false;
};

PSPLLM_TARGET_FMA ReducedAngle reduce(std::uint32_t bits) noexcept {
  const std::uint32_t top = magnitude_top_bits(bits);
  const double angle = static_cast<double>(from_bits(bits));
  if (top < glibc::unreduced_angle_below) {
    return {.remainder = angle};
  }
  if (top < glibc::fast_reduction_below) {
    const double scaled = angle * as_double(glibc::two_over_pi_scaled);
    const std::int32_t quadrant = (static_cast<std::int32_t>(scaled) + 0x800000) >> 24;
    return {.remainder = fused(-static_cast<double>(quadrant), as_double(glibc::pi_over_two), angle),
            .quadrant = static_cast<std::uint32_t>(quadrant) & 3U};
  }
  const LargeAngle reduced = reduce_large_angle(bits);
  return {.remainder = static_cast<double>(reduced.fraction) * as_double(glibc::pi_over_two_scaled),
          .quadrant = reduced.quadrant,
          .negated = (bits & float_sign_bit) != 0};
}

PSPLLM_TARGET_FMA float sine_of(const ReducedAngle& angle, std::uint32_t quarter_turns) noexcept {
  const std::uint32_t quadrant = angle.quadrant + quarter_turns;
  const float value =
      (quadrant & 1U) != 0 ? cosine_near_zero(angle.remainder) : sine_near_zero(angle.remainder);
  return (quadrant & 2U) != 0 ? -value : value;
}

}  // namespace

PSPLLM_TARGET_FMA float fma_exp(float x) noexcept {
  const std::uint32_t bits = to_bits(x);
  if (magnitude_top_bits(bits) >= glibc::exp_special_from) {
    const SpecialAnswer special = exp_special_answer(bits);
    if (special.found) {
      return from_bits(special.bits);
    }
  }
  constexpr double scale = as_double(glibc::exp_inverse_ln2_scaled);
  constexpr double shift = as_double(glibc::round_to_integer_shift);
  const double wide = static_cast<double>(x);
  const double shifted = fused(scale, wide, shift);
  const auto k = static_cast<std::int32_t>(std::bit_cast<std::uint64_t>(shifted));
  const double remainder = fused(scale, wide, -(shifted - shift));
  return static_cast<float>(exp2_scaled(k, remainder, glibc::exp2_polynomial_scaled));
}

PSPLLM_TARGET_FMA float fma_pow(float x, float y) noexcept {
  const PowOperands operands = pow_operands(to_bits(x), to_bits(y));
  if (operands.answer.found) {
    return from_bits(operands.answer.bits);
  }
  const float magnitude = exp2_of(static_cast<double>(y) * log2_of(operands.base));
  return from_bits(operands.sign | to_bits(magnitude));
}

PSPLLM_TARGET_FMA float fma_sin(float x) noexcept {
  const std::uint32_t bits = to_bits(x);
  const std::uint32_t top = magnitude_top_bits(bits);
  if (top < glibc::tiny_angle_below) {
    return x;
  }
  if (top >= glibc::infinite_or_nan_from) {
    return from_bits(sine_of_infinity_or_nan(bits));
  }
  const ReducedAngle angle = reduce(bits);
  return sine_of(angle, angle.negated ? 2 : 0);
}

PSPLLM_TARGET_FMA float fma_cos(float x) noexcept {
  const std::uint32_t bits = to_bits(x);
  const std::uint32_t top = magnitude_top_bits(bits);
  if (top < glibc::tiny_angle_below) {
    return 1.0F;
  }
  if (top >= glibc::infinite_or_nan_from) {
    return from_bits(sine_of_infinity_or_nan(bits));
  }
  return sine_of(reduce(bits), 1);
}

PSPLLM_TARGET_FMA void exp_many_fma(const float* in, float* out, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = fma_exp(in[i]);
  }
}

}  // namespace pspllm::host

#endif
