#include "psp/platform/integer_helpers.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <limits>
#include <vector>

namespace helpers = pspllm::psp::helpers;

namespace {

/// Edges and pseudo-random values of every magnitude.
std::vector<std::uint64_t> samples() {
  std::vector<std::uint64_t> values = {0,          1,          2,          3,           10,
                                       0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000, UINT64_MAX};
  std::uint64_t state = 88172645463325252ULL;
  for (unsigned i = 0; i < 600; ++i) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    values.push_back(state >> (i % 64));
  }
  for (unsigned bit = 0; bit < 64; ++bit) values.push_back((std::uint64_t{1} << bit) - 1);
  return values;
}

}  // namespace

TEST_CASE("Shifts equal the host's") {
  for (const std::uint64_t value : samples()) {
    for (unsigned count = 0; count < 64; ++count) {
      const auto signed_value = static_cast<std::int64_t>(value);
      if (helpers::shift_left(value, count) != value << count ||
          helpers::shift_right(value, count) != value >> count ||
          helpers::shift_right_signed(signed_value, count) != signed_value >> count) {
        FAIL(value, " by ", count);
      }
    }
    CHECK(helpers::leading_zeros(value) == static_cast<unsigned>(std::countl_zero(value)));
  }
}

TEST_CASE("Divisions equal the host's") {
  const std::vector<std::uint64_t> values = samples();
  for (const std::uint64_t dividend : values) {
    for (const std::uint64_t divisor : values) {
      if (divisor == 0) continue;
      const helpers::Quotient got = helpers::divide(dividend, divisor);
      if (got.quotient != dividend / divisor || got.remainder != dividend % divisor)
        FAIL(dividend, " / ", divisor);
    }
  }
}

TEST_CASE("Conversions to float round as the host's") {
  for (const std::uint64_t value : samples()) {
    for (const std::uint64_t near :
         {value, value + 1, value - 1, value ^ std::uint64_t{0x80}, value ^ std::uint64_t{0x8000000000}}) {
      CHECK(helpers::to_float(near) == static_cast<float>(near));
    }
  }
}

TEST_CASE("Conversions from float cut towards zero and hold at the limits") {
  for (const float value :
       {0.0F, 0.5F, 1.0F, 1.99F, 8388608.0F, 16777216.0F, 4294967296.0F, 9.2e18F, 1.8e19F}) {
    CHECK(helpers::to_unsigned(value) == static_cast<std::uint64_t>(value));
  }
  for (const float value : {0.0F, -0.5F, -1.5F, 123456.7F, -4294967296.0F, -9.2e18F}) {
    CHECK(helpers::to_signed(value) == static_cast<std::int64_t>(value));
  }
  CHECK(helpers::to_unsigned(2e19F) == UINT64_MAX);
  CHECK(helpers::to_unsigned(-1.0F) == 0);
  CHECK(helpers::to_signed(1e19F) == INT64_MAX);
  CHECK(helpers::to_signed(-1e19F) == INT64_MIN);
  CHECK(helpers::to_signed(std::numeric_limits<float>::quiet_NaN()) == 0);
}
