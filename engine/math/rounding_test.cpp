#include "engine/math/rounding.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>

#include "engine/math/float_bits.hpp"

namespace pspllm {
namespace {

static_assert(round_half_away(2.5F) == 3);
static_assert(round_half_even(2.5F) == 2);

TEST_CASE("halves go away from zero or to the even neighbour") {
  CHECK(round_half_away(0.5F) == 1);
  CHECK(round_half_away(-0.5F) == -1);
  CHECK(round_half_away(-1.5F) == -2);
  CHECK(round_half_even(0.5F) == 0);
  CHECK(round_half_even(-0.5F) == 0);
  CHECK(round_half_even(1.5F) == 2);
  CHECK(round_half_even(-1.5F) == -2);
  CHECK(round_half_even(-2.5F) == -2);
}

TEST_CASE("the neighbours of a half are not halves") {
  // Adding 0.5 and truncating would round the single below one half up.
  const float below_half = from_bits(to_bits(0.5F) - 1);
  CHECK(round_half_away(below_half) == 0);
  CHECK(round_half_even(below_half) == 0);
  CHECK(round_half_away(-below_half) == 0);
  CHECK(round_half_away(8388607.5F / 2) == 4194304);
  CHECK(round_half_away(2147483520.0F) == 2147483520);
}

TEST_CASE("both agree with the C library over all exponents below 2^31") {
  for (std::uint32_t magnitude = 0; magnitude < 0x4f000000; magnitude += 997) {
    for (const std::uint32_t sign : {0U, float_sign_bit}) {
      const float value = from_bits(sign | magnitude);
      REQUIRE(static_cast<float>(round_half_away(value)) == std::round(value));
      REQUIRE(static_cast<float>(round_half_even(value)) == std::nearbyint(value));
    }
  }
}

}  // namespace
}  // namespace pspllm
