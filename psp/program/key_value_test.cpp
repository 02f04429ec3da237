#include "psp/program/key_value.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using pspllm::psp::KeyValueLine;
using pspllm::psp::KeyValueReader;
using pspllm::psp::parse_decimal;
using pspllm::psp::parse_hundredths;
using pspllm::psp::parse_unsigned;

TEST_CASE("lines: byte-order mark, comments, blank lines, Windows line ends, blanks around keys") {
  KeyValueReader reader("\xEF\xBB\xBF# head\r\n\r\n a = 1 \r\nprompt= two words \nrubbish\n=\nlast=x");
  std::vector<std::string> seen;
  KeyValueLine line;
  while (reader.next(line)) {
    seen.push_back(std::to_string(line.number) + ":" + std::string(line.key) + (line.has_equals ? "=" : "!") +
                   std::string(line.value));
  }
  CHECK(seen == std::vector<std::string>{"3:a= 1 ", "4:prompt= two words ", "5:rubbish!", "6:=", "7:last=x"});
}

TEST_CASE("whole numbers: limits and rubbish") {
  CHECK(parse_unsigned(" 42 ", 100) == 42);
  CHECK(parse_unsigned("0", 0) == 0);
  CHECK(parse_unsigned("18446744073709551615", ~0ULL) == ~0ULL);
  for (const char* wrong :
       {"", " ", "-1", "+1", "1.0", "4 2", "0x10", "18446744073709551616", "99999999999999999999999"}) {
    CHECK_FALSE(parse_unsigned(wrong, ~0ULL).has_value());
  }
  CHECK_FALSE(parse_unsigned("101", 100).has_value());
}

TEST_CASE("decimals are the floats nearest to what is written") {
  CHECK(*parse_decimal("0.8") == 0.8F);
  CHECK(*parse_decimal("0.9") == 0.9F);
  CHECK(*parse_decimal("1") == 1.0F);
  CHECK(*parse_decimal(".5") == 0.5F);
  CHECK(*parse_decimal(" 0.333333 ") == 0.333333F);
  for (const char* wrong : {"", ".", "1.2.3", "-0.5", "1e3", "nan", "123456789", "0.123456789"}) {
    CHECK_FALSE(parse_decimal(wrong).has_value());
  }
  for (int hundredths = 0; hundredths <= 300; ++hundredths) {
    const std::string text = std::to_string(hundredths / 100) + "." + (hundredths % 100 < 10 ? "0" : "") +
                             std::to_string(hundredths % 100);
    CHECK(*parse_decimal(text) == std::stof(text));
    CHECK(*parse_hundredths(text) == static_cast<unsigned>(hundredths));
  }
  CHECK(*parse_hundredths("1.005") == 101);
}
