#include "engine/math/soft_double.hpp"

namespace pspllm {
namespace {

// What an operation yields before it is rounded: magnitude times 2^(exponent - 126). Bit 127 is room for the
// carry of one addition.
struct Unrounded {
  Uint128 magnitude;
  std::int32_t exponent = 0;
  bool negative = false;
};

Unrounded widen(const SoftDouble& value) noexcept {
  return {.magnitude = {.high = value.significand >> 1, .low = 0},
          .exponent = value.exponent,
          .negative = value.negative};
}

// Exact: 106 bits, so the 22 low bits of a 128-bit product of significands are clear and one may be shifted
// out.
Unrounded product_of(const SoftDouble& left, const SoftDouble& right) noexcept {
  return {.magnitude = shift_right_sticky(multiply_wide(left.significand, right.significand), 1),
          .exponent = left.exponent + right.exponent + 1,
          .negative = left.negative != right.negative};
}

SoftDouble round(const Unrounded& value) noexcept {
  if (is_zero(value.magnitude)) {
    return {};
  }
  constexpr std::uint64_t discarded_mask = 0x7ffU;
  constexpr std::uint64_t half = 0x400U;
  constexpr std::uint64_t last_kept_bit = 0x800U;
  Uint128 normal = value.magnitude;
  int shift = 0;
  // Only where terms cancelled is there much to shift; else one or two places, cheaper one by one.
  if ((normal.high >> 60) == 0) {
    shift = leading_zeros(normal);
    normal = shift_left(normal, shift);
  }
  for (; (normal.high >> 63) == 0; ++shift) {
    normal = add(normal, normal);
  }
  SoftDouble result{.significand = normal.high & ~discarded_mask,
                    .exponent = value.exponent + 1 - shift,
                    .negative = value.negative};
  const std::uint64_t discarded = normal.high & discarded_mask;
  const bool above_half = discarded > half || (discarded == half && normal.low != 0);
  const bool tie_to_odd = discarded == half && normal.low == 0 && (normal.high & last_kept_bit) != 0;
  if (above_half || tie_to_odd) {
    result.significand += last_kept_bit;
    if (result.significand == 0) {
      result.significand = std::uint64_t{1} << 63;
      ++result.exponent;
    }
  }
  return result;
}

// Bits that alignment pushes out at the bottom stay as one sticky bit. That is enough: they can only be lost
// where the operands differ by more than one place, and then a subtraction cancels one bit at most.
SoftDouble round_sum(Unrounded left, Unrounded right) noexcept {
  if (is_zero(left.magnitude)) {
    return round(right);
  }
  if (is_zero(right.magnitude)) {
    return round(left);
  }
  if (left.exponent < right.exponent) {
    const Unrounded swapped = left;
    left = right;
    right = swapped;
  }
  right.magnitude = shift_right_sticky(right.magnitude, left.exponent - right.exponent);
  if (left.negative == right.negative) {
    left.magnitude = add(left.magnitude, right.magnitude);
  } else if (is_less(left.magnitude, right.magnitude)) {
    left.magnitude = subtract(right.magnitude, left.magnitude);
    left.negative = right.negative;
  } else {
    left.magnitude = subtract(left.magnitude, right.magnitude);
  }
  return round(left);
}

}  // namespace

SoftDouble soft_double_from_int64(std::int64_t value) noexcept {
  const auto bits = static_cast<std::uint64_t>(value);
  return round({.magnitude = {.high = 0, .low = value < 0 ? 0U - bits : bits},
                .exponent = 126,
                .negative = value < 0});
}

SoftDouble soft_double_from_int32(std::int32_t value) noexcept {
  return soft_double_from_int64(value);
}

SoftDouble add(const SoftDouble& left, const SoftDouble& right) noexcept {
  return round_sum(widen(left), widen(right));
}

SoftDouble multiply(const SoftDouble& left, const SoftDouble& right) noexcept {
  return round(product_of(left, right));
}

SoftDouble fused_multiply_add(const SoftDouble& left, const SoftDouble& right,
                              const SoftDouble& addend) noexcept {
  return round_sum(product_of(left, right), widen(addend));
}

std::int32_t truncate_to_int32(const SoftDouble& value) noexcept {
  if (is_zero(value) || value.exponent < 0) {
    return 0;
  }
  const auto magnitude = static_cast<std::int32_t>(value.significand >> (63 - value.exponent));
  return value.negative ? -magnitude : magnitude;
}

std::int32_t round_to_int32(const SoftDouble& value) noexcept {
  // Adding 1.5 * 2^52 leaves no fraction bits, so the addition itself rounds.
  constexpr SoftDouble shifter{.significand = 0xc000000000000000U, .exponent = 52, .negative = false};
  const SoftDouble shifted = add(value, shifter);
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(shifted.significand >> 11));
}

std::uint32_t round_to_float_bits(const SoftDouble& value) noexcept {
  const std::uint32_t sign = value.negative ? float_sign_bit : 0U;
  constexpr std::int32_t smallest_normal_exponent = 1 - float_exponent_bias;
  if (value.significand == 0 || value.exponent < smallest_normal_exponent - float_fraction_bits - 1) {
    return sign;
  }
  // 40 bits of the significand lie below a single's last place, one more for each step below the normal
  // range.
  const bool subnormal = value.exponent < smallest_normal_exponent;
  const int discarded_count = 40 + (subnormal ? smallest_normal_exponent - value.exponent : 0);
  const Uint128 split = shift_right_sticky({.high = value.significand, .low = 0}, discarded_count);
  constexpr std::uint64_t half = std::uint64_t{1} << 63;
  auto magnitude = static_cast<std::uint32_t>(split.high);
  // The leading bit of a normal number adds the one that is missing in its exponent field here.
  if (!subnormal) {
    magnitude += static_cast<std::uint32_t>(value.exponent + float_exponent_bias - 1) << float_fraction_bits;
  }
  if (split.low > half || (split.low == half && (magnitude & 1U) != 0)) {
    ++magnitude;
  }
  return sign |
         (magnitude < float_infinity_bits && value.exponent <= float_exponent_bias ? magnitude
                                                                                   : float_infinity_bits);
}

bool is_less(const SoftDouble& left, const SoftDouble& right) noexcept {
  const SoftDouble difference = add(left, negate(right));
  return !is_zero(difference) && difference.negative;
}

}  // namespace pspllm
