#include <cstdint>

#include "engine/math/exact_math.hpp"
#include "engine/math/float_bits.hpp"
#include "engine/math/glibc_constants.hpp"
#include "engine/math/soft_double.hpp"
#include "engine/math/special_cases.hpp"

namespace pspllm {
namespace {

// An angle less a multiple of pi / 2.
struct ReducedAngle {
  SoftDouble remainder;
  // How many times pi / 2 was taken away, modulo 4.
  std::uint32_t quadrant = 0;
  // The angle was negative and its magnitude was reduced instead.
  bool negated = false;
};

// |angle| < 120: one multiplication finds the quadrant, one multiply-add subtracts it.
ReducedAngle reduce_fast(const SoftDouble& angle) noexcept {
  const SoftDouble scaled = multiply(angle, soft_double_from_bits(glibc::two_over_pi_scaled));
  const std::int32_t quadrant = (truncate_to_int32(scaled) + 0x800000) >> 24;
  return {.remainder = fused_multiply_add(soft_double_from_int32(-quadrant),
                                          soft_double_from_bits(glibc::pi_over_two), angle),
          .quadrant = static_cast<std::uint32_t>(quadrant) & 3U};
}

ReducedAngle reduce_large(std::uint32_t bits) noexcept {
  const LargeAngle reduced = reduce_large_angle(bits);
  return {.remainder = multiply(soft_double_from_int64(reduced.fraction),
                                soft_double_from_bits(glibc::pi_over_two_scaled)),
          .quadrant = reduced.quadrant,
          .negated = (bits & float_sign_bit) != 0};
}

std::uint32_t sine_near_zero(const SoftDouble& x) noexcept {
  const auto coefficient = [](std::size_t index) {
    return soft_double_from_bits(glibc::sine_polynomial[index]);
  };
  const SoftDouble x2 = multiply(x, x);
  const SoftDouble high = fused_multiply_add(coefficient(2), x2, coefficient(1));
  const SoftDouble x3 = multiply(x2, x);
  const SoftDouble x5 = multiply(x2, x3);
  const SoftDouble low = fused_multiply_add(x3, coefficient(0), x);
  return round_to_float_bits(fused_multiply_add(high, x5, low));
}

std::uint32_t cosine_near_zero(const SoftDouble& x) noexcept {
  const auto coefficient = [](std::size_t index) {
    return soft_double_from_bits(glibc::cosine_polynomial[index]);
  };
  const SoftDouble x2 = multiply(x, x);
  const SoftDouble x4 = multiply(x2, x2);
  const SoftDouble x6 = multiply(x2, x4);
  const SoftDouble high = fused_multiply_add(coefficient(3), x2, coefficient(2));
  const SoftDouble low = fused_multiply_add(x2, coefficient(0), soft_double_from_bits(glibc::one));
  return round_to_float_bits(fused_multiply_add(high, x6, fused_multiply_add(x4, coefficient(1), low)));
}

// Sine of the reduced angle plus quarter_turns times pi / 2, as bits.
std::uint32_t sine_of(const ReducedAngle& angle, std::uint32_t quarter_turns) noexcept {
  const std::uint32_t quadrant = angle.quadrant + quarter_turns;
  const std::uint32_t magnitude =
      (quadrant & 1U) != 0 ? cosine_near_zero(angle.remainder) : sine_near_zero(angle.remainder);
  return (quadrant & 2U) != 0 ? magnitude ^ float_sign_bit : magnitude;
}

ReducedAngle reduce(std::uint32_t bits) noexcept {
  const std::uint32_t top = magnitude_top_bits(bits);
  if (top < glibc::unreduced_angle_below) {
    return {.remainder = soft_double_from_float_bits(bits)};
  }
  return top < glibc::fast_reduction_below ? reduce_fast(soft_double_from_float_bits(bits))
                                           : reduce_large(bits);
}

}  // namespace

float exact_sin(float x) noexcept {
  const std::uint32_t bits = to_bits(x);
  const std::uint32_t top = magnitude_top_bits(bits);
  if (top < glibc::tiny_angle_below) {
    return x;
  }
  if (top >= glibc::infinite_or_nan_from) {
    return from_bits(sine_of_infinity_or_nan(bits));
  }
  const ReducedAngle angle = reduce(bits);
  return from_bits(sine_of(angle, angle.negated ? 2 : 0));
}

float exact_cos(float x) noexcept {
  const std::uint32_t bits = to_bits(x);
  const std::uint32_t top = magnitude_top_bits(bits);
  if (top < glibc::tiny_angle_below) {
    return from_bits(float_one_bits);
  }
  if (top >= glibc::infinite_or_nan_from) {
    return from_bits(sine_of_infinity_or_nan(bits));
  }
  return from_bits(sine_of(reduce(bits), 1));
}

}  // namespace pspllm
