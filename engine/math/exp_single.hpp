#pragma once

#include <array>
#include <cstdint>

#include "engine/math/float_bits.hpp"
#include "engine/math/glibc_constants.hpp"

// e^x on singles and 32-bit integers: nearly always enough to know how glibc's double rounds to a single, and
// able to tell when it is not.
//
// The steps are glibc's: x = k c + r with c = ln 2 / 32 and |r| <= c / 2, then e^x = y = s + s q with
// s = 2^(k / 32) and q = r + quadratic r^2 + cubic r^3. In which numbers ("Qn" is an integer counting 2^-n):
//
// - k: from a product of singles, so it may be one off where x / c is within 2^-11 of a half. glibc takes its
//   polynomial of the other side there, and the answer is not sure: |r| is then above c / 2.
// - r: c is split. c_high has 12 bits, so k c_high is exact, and so is x - k c_high (where |x| < 2^-12 it is
//   cut off at Q36); k c_low is subtracted in Q36.
// - s r: in Q36 of s / 2, so in Q35 of y.
// - s times the square and the cube, below 2^-14.1: in singles, then in the same Q35.
//
// How far off y can be, in units of 2^-35: k c_low is cut off (0 .. 1), s r is cut off (-1 .. 0), the square
// and the cube are cut off (-1 .. 0) and, with eight roundings of 2^-24 of themselves each and r off by
// 2^-32, wrong by 2.1; glibc's linear coefficient is 1 + 2^-32.3 (0.2); the table and glibc's own five
// roundings to 53 bits are below 0.1. Together -4.4 .. +3.4. Over all singles -2.7 .. +2.0 was found;
// error_centre and error_radius hold that with some room, and the test over all singles shows that they do.
namespace pspllm::exp_single {

constexpr std::uint32_t entry_count = 2 * glibc::exp2_table_size;
constexpr int exponent_shift = float_fraction_bits - static_cast<int>(glibc::exp2_table_bits);  // of k
constexpr int rest_shift = 20;  // a unit of 2^-35 is 2^20 units of the last word of a Q55 significand
constexpr std::int32_t error_centre = -(1 << (rest_shift - 2));  // -0.25 units
constexpr std::uint32_t error_radius = 3U << rest_shift;

// Entry 2 i + 1 serves k = i modulo 32 with r >= 0, entry 2 i the same k with r < 0. They differ for i = 0
// only: a negative r takes y below 1 there, into the octave below, where s is 2.
struct Entry {
  // The bits of s as a single, less i in the place where k will be added.
  std::uint32_t bits;
  // The next 32 bits of s, plus one half of a single's last place, so that cutting off rounds.
  std::uint32_t rest;
  // s / 2 - 1 in Q32.
  std::int32_t half_less_one;
  // s / 2.
  float half;
};

// Remainders are counted in Q36, in singles too.
struct Constants {
  float inverse_c = 0x1.715476p+5F;  // 32 / ln 2
  float shifter = 12582912.0F;       // 1.5 * 2^23: adding it rounds to an integer
  float one = 0x1p36F;
  float c_high = 2839.0F * 0x1p19F;  // c to 12 bits
  float c_low = 0x1.0bfbe8p+16F;     // c - c_high
  std::int32_t c_low_q49 = 562003229;
  // glibc's coefficients, in powers of r instead of r / c.
  float quadratic = 0x1.000088p-37F;
  float cubic = 0x1.55548ep-75F;
};

struct Data {
  Constants constants;
  std::array<Entry, entry_count> entries;
};

[[nodiscard]] constexpr Entry make_entry(std::uint32_t index) noexcept {
  constexpr std::uint64_t hidden_bit = std::uint64_t{1} << 52;
  const std::uint32_t i = index / 2;
  const bool below_one = index == 0;
  const std::uint64_t s_q52 =
      below_one ? 2 * hidden_bit : hidden_bit | (glibc::exp2_table[i] & (hidden_bit - 1));
  const std::uint64_t rounded_q55 =
      ((s_q52 - hidden_bit) << 3) + (std::uint64_t{1} << 31) - static_cast<std::uint64_t>(error_centre);
  const std::uint64_t half_q32 = (s_q52 + (std::uint64_t{1} << 20)) >> 21;
  const std::uint32_t octave = below_one ? 1U << float_fraction_bits : 0U;
  return {
      .bits = float_one_bits + static_cast<std::uint32_t>(rounded_q55 >> 32) - octave - (i << exponent_shift),
      .rest = static_cast<std::uint32_t>(rounded_q55),
      .half_less_one = static_cast<std::int32_t>(static_cast<std::uint32_t>(half_q32)),
      .half = static_cast<float>(half_q32) * 0x1p-32F};
}

[[nodiscard]] constexpr Data make_data() noexcept {
  Data data{};
  for (std::uint32_t i = 0; i < entry_count; ++i) {
    data.entries[i] = make_entry(i);
  }
  return data;
}

constexpr Data data = make_data();

// The data by an address that the compiler does not see through: it would build that of every constant anew,
// at two instructions each on MIPS.
[[nodiscard]] inline const Data& data_by_address() noexcept {
  const Data* address = &data;
  asm("" : "+r"(address));
  return *address;
}

// c / 2 in Q36, less a little.
constexpr std::int32_t largest_remainder = 0x2c5c0000;

[[nodiscard]] constexpr std::int32_t multiply_high(std::int32_t left, std::int32_t right) noexcept {
  return static_cast<std::int32_t>((std::int64_t{left} * right) >> 32);
}

// Whether exp_of() may be asked: |x| < 87, so that e^x is a normal number.
[[nodiscard]] constexpr std::uint32_t is_ordinary(float x) noexcept {
  constexpr std::uint32_t bound = 0x42ae0000;
  return static_cast<std::uint32_t>(to_bits(x) << 1 < bound << 1);
}

// A single's bits, and whether they are sure to be glibc's.
struct Answer {
  std::uint32_t bits;
  std::uint32_t certain;  // 0 or 1: conditions are joined without branches
};

// x: is_ordinary(). steps: x * inverse_c, which a caller of several begins before it looks at is_ordinary().
[[nodiscard]] inline Answer exp_of(float x, float steps, const Constants& constants,
                                   const Entry* entries) noexcept {
  const float shifted = steps + constants.shifter;
  const std::uint32_t k = to_bits(shifted);
  const float k_single = shifted - constants.shifter;
  const float high = x * constants.one - k_single * constants.c_high;
  const float r = high - k_single * constants.c_low;
  const std::int32_t low_q36 = multiply_high(static_cast<std::int32_t>(k << 19), constants.c_low_q49);
  const std::int32_t r_q36 = static_cast<std::int32_t>(high) - low_q36;

  const std::int32_t sign = r_q36 >> 31;
  const Entry& entry = entries[static_cast<std::int32_t>(2 * (k & (glibc::exp2_table_size - 1)) + 1) + sign];
  const float curvature = (constants.cubic * r + constants.quadratic) * (r * r * entry.half);
  const std::int32_t sr = r_q36 + multiply_high(r_q36, entry.half_less_one);
  const std::int32_t sq = sr + static_cast<std::int32_t>(curvature);
  const std::uint32_t rest = entry.rest + (static_cast<std::uint32_t>(sq) << rest_shift);
  const std::uint32_t carry = rest < entry.rest ? 1U : 0U;

  const auto is_same_polynomial = static_cast<std::uint32_t>((r_q36 ^ sign) < largest_remainder);
  const auto is_clear = static_cast<std::uint32_t>(rest + error_radius >= 2 * error_radius);
  return {.bits = entry.bits + (k << exponent_shift) + static_cast<std::uint32_t>(sq >> (32 - rest_shift)) +
                  carry,
          .certain = is_same_polynomial & is_clear};
}

}  // namespace pspllm::exp_single
