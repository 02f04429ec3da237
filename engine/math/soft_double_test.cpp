#include "engine/math/soft_double.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "engine/math/exact_math_samples.hpp"

namespace pspllm {
namespace {

double to_double(const SoftDouble& value) {
  const double magnitude = std::ldexp(static_cast<double>(value.significand), value.exponent - 63);
  return value.negative ? -magnitude : magnitude;
}

SoftDouble from_double(double value) {
  return soft_double_from_bits(std::bit_cast<std::uint64_t>(value));
}

// Doubles with exponents near each other, so that sums cancel and round in every way, and with significands
// of long runs of equal bits, where ties live.
double random_double(samples::detail::Random& random) {
  std::uint64_t significand = (std::uint64_t{random.next()} << 32) | random.next();
  const std::uint32_t shape = random.next();
  const int zeros = static_cast<int>(shape % 53U);
  significand &= ~std::uint64_t{0} << zeros;
  if ((shape & 0x100U) != 0) {
    significand |= (std::uint64_t{1} << zeros) - 1U;
  }
  const std::uint64_t exponent = 1023U - 60U + (random.next() % 120U);
  const std::uint64_t sign = std::uint64_t{random.next() & 1U} << 63;
  return std::bit_cast<double>(sign | (exponent << 52) | (significand & 0xfffffffffffffU));
}

TEST_CASE("operations give the bits of the processor's doubles") {
  samples::detail::Random random;
  for (int i = 0; i < 1'000'000; ++i) {
    const double a = random_double(random);
    const double b = random_double(random);
    const double c = (i % 3 == 0) ? -a * b : random_double(random);
    REQUIRE(to_double(add(from_double(a), from_double(b))) == a + b);
    REQUIRE(to_double(multiply(from_double(a), from_double(b))) == a * b);
    REQUIRE(to_double(fused_multiply_add(from_double(a), from_double(b), from_double(c))) ==
            std::fma(a, b, c));
    REQUIRE(is_less(from_double(a), from_double(b)) == (a < b));
  }
}

TEST_CASE("zeros are operands like others") {
  const SoftDouble zero{};
  const SoftDouble three = from_double(3.0);
  CHECK(to_double(add(zero, three)) == 3.0);
  CHECK(is_zero(add(three, negate(three))));
  CHECK(is_zero(multiply(zero, three)));
  CHECK(to_double(fused_multiply_add(zero, three, three)) == 3.0);
  CHECK(is_zero(fused_multiply_add(three, three, from_double(-9.0))));
  CHECK(is_zero(soft_double_from_bits(0x8000000000000000U)));
  CHECK_FALSE(is_less(zero, zero));
}

TEST_CASE("conversions from and to integers") {
  samples::detail::Random random;
  for (int i = 0; i < 1'000'000; ++i) {
    const auto wide = static_cast<std::int64_t>((std::uint64_t{random.next()} << 32) | random.next()) >>
                      (random.next() % 64U);
    const auto narrow = static_cast<std::int32_t>(random.next());
    REQUIRE(to_double(soft_double_from_int64(wide)) == static_cast<double>(wide));
    REQUIRE(to_double(soft_double_from_int32(narrow)) == static_cast<double>(narrow));
    const double value = std::ldexp(static_cast<double>(narrow), -static_cast<int>(random.next() % 40U));
    REQUIRE(truncate_to_int32(from_double(value)) == static_cast<std::int32_t>(value));
  }
  constexpr auto smallest = std::numeric_limits<std::int64_t>::min();
  CHECK(to_double(soft_double_from_int64(smallest)) == static_cast<double>(smallest));
}

TEST_CASE("rounding to single gives the processor's bits, subnormals and overflow too") {
  samples::detail::Random random;
  for (int i = 0; i < 2'000'000; ++i) {
    const double value = std::ldexp(random_double(random), static_cast<int>(random.next() % 360U) - 180);
    REQUIRE(round_to_float_bits(from_double(value)) == to_bits(static_cast<float>(value)));
  }
  for (std::uint32_t bits = 1; bits < float_infinity_bits; bits += 1021) {
    const double value = static_cast<double>(from_bits(bits));
    REQUIRE(to_double(soft_double_from_float_bits(bits)) == value);
    // Exactly half way to the next single, and the doubles beside that.
    const double half_way = (value + static_cast<double>(from_bits(bits + 1))) / 2;
    for (const double near : {std::nextafter(half_way, 0.0), half_way, std::nextafter(half_way, 1e300)}) {
      if (std::isfinite(near)) {
        REQUIRE(round_to_float_bits(from_double(near)) == to_bits(static_cast<float>(near)));
      }
    }
  }
}

}  // namespace
}  // namespace pspllm
