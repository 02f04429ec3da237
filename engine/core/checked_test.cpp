#include "engine/core/checked.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace pspllm {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

TEST_CASE("sums and products are exact up to 2^64 - 1 and overflow after it") {
  CHECK((CheckedSize(most - 1) + 1).value() == most);
  CHECK_FALSE((CheckedSize(most - 1) + 1).overflowed());
  CHECK((CheckedSize(most) + 1).overflowed());
  CHECK((CheckedSize(1ULL << 32) * (1ULL << 31)).value() == 1ULL << 63);
  CHECK((CheckedSize(1ULL << 32) * (1ULL << 32)).overflowed());
  CHECK((CheckedSize(most) * 1).value() == most);
  CHECK((CheckedSize(most) * 2).overflowed());
  CHECK((CheckedSize(most) * 0).value() == 0);
}

TEST_CASE("products agree with 128-bit arithmetic") {
  std::uint64_t state = 88172645463325252ULL;
  const auto next = [&state] {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state >> (state % 64);
  };
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t a = next();
    const std::uint64_t b = next();
    __extension__ using Wide = unsigned __int128;
    const Wide exact = static_cast<Wide>(a) * b;
    const CheckedSize product = CheckedSize(a) * b;
    REQUIRE(product.overflowed() == (exact > most));
    if (!product.overflowed()) REQUIRE(product.value() == static_cast<std::uint64_t>(exact));
  }
}

TEST_CASE("an overflow sticks") {
  const CheckedSize overflowed = CheckedSize(most) + 1;
  CHECK((overflowed * 0).overflowed());
  CHECK((CheckedSize(1) + overflowed).overflowed());
}

TEST_CASE("align_up rounds to the next multiple") {
  CHECK(align_up(0, 64) == 0);
  CHECK(align_up(1, 64) == 64);
  CHECK(align_up(64, 64) == 64);
  CHECK(align_up(65, 64) == 128);
}

}  // namespace pspllm
