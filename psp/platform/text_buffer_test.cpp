#include "psp/platform/text_buffer.hpp"

#include <doctest/doctest.h>

#include <cstring>

using namespace pspllm::psp;

TEST_CASE("Text is appended, counted and NUL-terminated") {
  TextBuffer<16> text("ab");
  text.append('c').append_unsigned(0).append_signed(-12);
  CHECK(text.view() == "abc0-12");
  CHECK(std::strlen(text.c_str()) == 7);
  CHECK_FALSE(text.truncated());
  text.clear();
  CHECK(text.empty());
  CHECK(std::strlen(text.c_str()) == 0);
}

TEST_CASE("What does not fit is cut at a character boundary and told") {
  TextBuffer<4> text("abc");
  text.append("\xC3\xA9");
  CHECK(text.view() == "abc");
  CHECK(text.truncated());
  TextBuffer<4> exact("\xF0\x9F\x98\xBA");
  CHECK(exact.size() == 4);
  CHECK_FALSE(exact.truncated());
  CHECK(TextBuffer<3>("\xF0\x9F\x98\xBA").empty());
}

TEST_CASE("Numbers at their limits") {
  using Text = TextBuffer<32>;
  CHECK(Text().append_unsigned(UINT64_MAX).view() == "18446744073709551615");
  CHECK(Text().append_signed(INT64_MIN).view() == "-9223372036854775808");
  CHECK(Text().append_hex(0x8001001C).view() == "8001001C");
  CHECK(Text().append_hex(0).view() == "00000000");
}

TEST_CASE("Ratios are rounded half up") {
  using Text = TextBuffer<32>;
  CHECK(Text().append_ratio(3, 2, 1).view() == "1.5");
  CHECK(Text().append_ratio(2, 3, 2).view() == "0.67");
  CHECK(Text().append_ratio(1999, 1000, 1).view() == "2.0");
  CHECK(Text().append_ratio(5, 100, 2).view() == "0.05");
  CHECK(Text().append_ratio(7, 2, 0).view() == "4");
  CHECK(Text().append_ratio(7, 0, 1).view() == "-");
}
