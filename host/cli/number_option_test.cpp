#include "host/cli/number_option.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace pspllm::host {

TEST_CASE("whole numbers are digits alone, within the range") {
  constexpr NumberRange<std::uint64_t> all{0, std::numeric_limits<std::uint64_t>::max()};
  CHECK(parse_whole_number("--n", "0", all) == 0);
  CHECK(parse_whole_number("--n", "18446744073709551615", all) == all.largest);
  for (const char* text :
       {"", " ", "-1", "+1", "1 ", " 1", "1.0", "1e3", "0x10", "12abc", "18446744073709551616"}) {
    CAPTURE(text);
    CHECK_THROWS_AS((void)parse_whole_number("--n", text, all), CLI::ValidationError);
  }
  CHECK_THROWS_AS((void)parse_whole_number("--n", "0", {1, 9}), CLI::ValidationError);
  CHECK_THROWS_AS((void)parse_whole_number("--n", "10", {1, 9}), CLI::ValidationError);
}

TEST_CASE("real numbers are finite and within the range") {
  CHECK(parse_real_number("--t", "0.8", {0, 1}) == 0.8);
  CHECK(parse_real_number("--t", "1e-3", {0, 1}) == 0.001);
  CHECK(parse_real_number("--t", ".5", {0, 1}) == 0.5);
  for (const char* text :
       {"", "nan", "NaN", "inf", "-inf", "1e99", "1e999", "-0.1", "0.5x", "0,5", "0x1p-2"}) {
    CAPTURE(text);
    CHECK_THROWS_AS((void)parse_real_number("--t", text, {0, 1}), CLI::ValidationError);
  }
}

TEST_CASE("the sentence names the option, the text and the range") {
  try {
    (void)parse_whole_number("--steps", "12abc", {1, 9});
    FAIL("12abc was taken");
  } catch (const CLI::ValidationError& error) {
    CHECK(std::string(error.what()) == "--steps: \"12abc\" is not a whole number from 1 to 9");
  }
}

}  // namespace pspllm::host
