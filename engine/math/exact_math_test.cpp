#include "engine/math/exact_math.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>

#include "engine/math/exact_math_samples.hpp"
#include "engine/math/exp_in_doubles.hpp"
#include "engine/math/exp_single.hpp"
#include "engine/math/float_bits.hpp"

namespace pspllm {
namespace {

TEST_CASE("the exact functions give glibc's bits over the samples") {
  CHECK(samples::hash_of_samples(exact_exp) == samples::exp_hash);
  CHECK(samples::hash_of_samples(exp_in_doubles) == samples::exp_hash);
  CHECK(samples::hash_of_samples_by_vector(exact_exp_many) == samples::exp_hash);
  CHECK(samples::hash_of_samples(exact_sin) == samples::sin_hash);
  CHECK(samples::hash_of_samples(exact_cos) == samples::cos_hash);
  CHECK(samples::hash_of_pow_samples(exact_pow) == samples::pow_hash);
}

exp_single::Answer quick_exp(float x) {
  const exp_single::Data& data = exp_single::data;
  return exp_single::exp_of(x, x * data.constants.inverse_c, data.constants, data.entries.data());
}

// The odd multiples of ln 2 / 64 are where k changes, and with it glibc's polynomial.
TEST_CASE("the quick way of exact_exp agrees with the careful one where it is hardest") {
  std::uint32_t unsure = 0;
  for (std::int32_t odd = -8029; odd <= 8029; odd += 2) {
    const auto boundary = static_cast<float>(static_cast<double>(odd) * 0.010830424696249145);
    for (std::uint32_t i = 0; i < 16; ++i) {
      const float x = from_bits(to_bits(boundary) - 8 + i);
      const exp_single::Answer answer = quick_exp(x);
      const std::uint32_t expected = to_bits(exp_in_doubles(x));
      REQUIRE(to_bits(exact_exp(x)) == expected);
      if (answer.certain != 0) {
        REQUIRE(answer.bits == expected);
      } else {
        ++unsure;
      }
    }
  }
  CHECK(unsure > 0);
}

TEST_CASE("the quick way of exact_exp is sure of all but one in five hundred") {
  constexpr int count = 250'000;
  int unsure = 0;
  for (int i = 0; i < count; ++i) {
    unsure += quick_exp(-20.0F + static_cast<float>(i) * 1e-4F).certain != 0 ? 0 : 1;
  }
  CHECK(unsure < count / 500);
}

TEST_CASE("only singles below 87 in magnitude are ordinary") {
  for (const float x : {0.0F, -86.9F, 86.9F, from_bits(float_smallest_subnormal_bits)}) {
    CHECK(exp_single::is_ordinary(x) != 0);
  }
  for (const float x : {87.0F, -87.0F, from_bits(float_infinity_bits), from_bits(float_invalid_bits)}) {
    CHECK(exp_single::is_ordinary(x) == 0);
  }
}

TEST_CASE("exact_exp at the ends of its range") {
  CHECK(to_bits(exact_exp(0.0F)) == float_one_bits);
  CHECK(to_bits(exact_exp(-0.0F)) == float_one_bits);
  CHECK(to_bits(exact_exp(from_bits(float_infinity_bits))) == float_infinity_bits);
  CHECK(to_bits(exact_exp(from_bits(float_sign_bit | float_infinity_bits))) == 0);
  CHECK(to_bits(exact_exp(from_bits(glibc::exp_overflow_above))) == 0x7f7fff84);
  CHECK(to_bits(exact_exp(from_bits(glibc::exp_overflow_above + 1))) == float_infinity_bits);
  CHECK(to_bits(exact_exp(from_bits(glibc::exp_zero_below))) == float_smallest_subnormal_bits);
  CHECK(to_bits(exact_exp(from_bits(glibc::exp_zero_below + 1))) == 0);
  CHECK(to_bits(exact_exp(from_bits(0x7f812345))) == 0x7fc12345);
  CHECK(to_bits(exact_exp(1.0F)) == 0x402df854);
}

TEST_CASE("exact_sin and exact_cos where nothing is left to compute") {
  CHECK(to_bits(exact_sin(-0.0F)) == float_sign_bit);
  CHECK(to_bits(exact_cos(-0.0F)) == float_one_bits);
  CHECK(to_bits(exact_sin(from_bits(1))) == 1);
  CHECK(to_bits(exact_sin(from_bits(float_infinity_bits))) == float_invalid_bits);
  CHECK(to_bits(exact_cos(from_bits(float_sign_bit | float_infinity_bits))) == float_invalid_bits);
  CHECK(to_bits(exact_cos(from_bits(0xff812345))) == 0xffc12345);
}

TEST_CASE("exact_pow's special cases") {
  const float nan = from_bits(0x7fc00000);
  const float infinity = from_bits(float_infinity_bits);
  CHECK(exact_pow(nan, 0.0F) == 1.0F);
  CHECK(exact_pow(1.0F, nan) == 1.0F);
  CHECK(exact_pow(-1.0F, infinity) == 1.0F);
  CHECK(exact_pow(0.5F, infinity) == 0.0F);
  CHECK(exact_pow(0.5F, -infinity) == infinity);
  CHECK(exact_pow(-2.0F, 3.0F) == -8.0F);
  CHECK(exact_pow(-2.0F, 4.0F) == 16.0F);
  CHECK(to_bits(exact_pow(-2.0F, 0.5F)) == float_invalid_bits);
  CHECK(to_bits(exact_pow(-0.0F, -3.0F)) == (float_sign_bit | float_infinity_bits));
  CHECK(to_bits(exact_pow(-0.0F, 3.0F)) == float_sign_bit);
  CHECK(exact_pow(2.0F, 128.0F) == infinity);
  CHECK(to_bits(exact_pow(2.0F, -149.0F)) == float_smallest_subnormal_bits);
  CHECK(to_bits(exact_pow(2.0F, -151.0F)) == 0);
  CHECK(exact_pow(from_bits(float_smallest_subnormal_bits), -0.5F) == exact_pow(2.0F, 74.5F));
}

}  // namespace
}  // namespace pspllm
