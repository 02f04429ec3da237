#pragma once

#include <cstdint>

// 128-bit integers out of 32 x 32 -> 64 bit products: what a processor without 64-bit registers, without a
// count-leading-zeros instruction and without the compiler's helper library can do.
namespace pspllm {

struct Uint128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  [[nodiscard]] friend constexpr bool operator==(const Uint128&, const Uint128&) = default;
};

[[nodiscard]] constexpr bool is_zero(const Uint128& value) noexcept {
  return (value.high | value.low) == 0;
}

[[nodiscard]] constexpr bool is_less(const Uint128& left, const Uint128& right) noexcept {
  return left.high != right.high ? left.high < right.high : left.low < right.low;
}

// The whole product of two 64-bit integers.
[[nodiscard]] constexpr Uint128 multiply_wide(std::uint64_t left, std::uint64_t right) noexcept {
  constexpr std::uint64_t low_mask = 0xffffffffU;
  const auto left_high = static_cast<std::uint32_t>(left >> 32);
  const auto left_low = static_cast<std::uint32_t>(left);
  const auto right_high = static_cast<std::uint32_t>(right >> 32);
  const auto right_low = static_cast<std::uint32_t>(right);
  const std::uint64_t low = std::uint64_t{left_low} * right_low;
  const std::uint64_t cross_one = std::uint64_t{left_high} * right_low;
  const std::uint64_t cross_two = std::uint64_t{left_low} * right_high;
  const std::uint64_t high = std::uint64_t{left_high} * right_high;
  const std::uint64_t middle = (low >> 32) + (cross_one & low_mask) + (cross_two & low_mask);
  return {.high = high + (cross_one >> 32) + (cross_two >> 32) + (middle >> 32),
          .low = (middle << 32) | (low & low_mask)};
}

// Modulo 2^128.
[[nodiscard]] constexpr Uint128 add(const Uint128& left, const Uint128& right) noexcept {
  const std::uint64_t low = left.low + right.low;
  return {.high = left.high + right.high + (low < left.low ? 1U : 0U), .low = low};
}

// Modulo 2^128.
[[nodiscard]] constexpr Uint128 subtract(const Uint128& left, const Uint128& right) noexcept {
  return {.high = left.high - right.high - (left.low < right.low ? 1U : 0U), .low = left.low - right.low};
}

// 0 <= count < 128; bits leave at the top.
[[nodiscard]] constexpr Uint128 shift_left(const Uint128& value, int count) noexcept {
  if (count == 0) {
    return value;
  }
  if (count >= 64) {
    return {.high = value.low << (count - 64), .low = 0};
  }
  return {.high = (value.high << count) | (value.low >> (64 - count)), .low = value.low << count};
}

// count >= 0. The lowest bit of the result is also set when any bit that left at the bottom was, so that a
// later rounding can tell "exactly half" from "more than half".
[[nodiscard]] constexpr Uint128 shift_right_sticky(const Uint128& value, int count) noexcept {
  if (count == 0) {
    return value;
  }
  if (count >= 128) {
    return {.high = 0, .low = is_zero(value) ? 0U : 1U};
  }
  if (count > 64) {
    const std::uint64_t lost = value.low | (value.high << (128 - count));
    return {.high = 0, .low = (value.high >> (count - 64)) | (lost != 0 ? 1U : 0U)};
  }
  if (count == 64) {
    return {.high = 0, .low = value.high | (value.low != 0 ? 1U : 0U)};
  }
  const std::uint64_t lost = value.low << (64 - count);
  return {.high = value.high >> count,
          .low = (value.high << (64 - count)) | (value.low >> count) | (lost != 0 ? 1U : 0U)};
}

// value != 0.
[[nodiscard]] constexpr int leading_zeros(std::uint32_t value) noexcept {
  int count = 0;
  if ((value >> 16) == 0) {
    count += 16;
    value <<= 16;
  }
  if ((value >> 24) == 0) {
    count += 8;
    value <<= 8;
  }
  if ((value >> 28) == 0) {
    count += 4;
    value <<= 4;
  }
  if ((value >> 30) == 0) {
    count += 2;
    value <<= 2;
  }
  return count + ((value >> 31) == 0 ? 1 : 0);
}

// value != 0.
[[nodiscard]] constexpr int leading_zeros(std::uint64_t value) noexcept {
  const auto high = static_cast<std::uint32_t>(value >> 32);
  return high != 0 ? leading_zeros(high) : 32 + leading_zeros(static_cast<std::uint32_t>(value));
}

// value != 0.
[[nodiscard]] constexpr int leading_zeros(const Uint128& value) noexcept {
  return value.high != 0 ? leading_zeros(value.high) : 64 + leading_zeros(value.low);
}

}  // namespace pspllm
