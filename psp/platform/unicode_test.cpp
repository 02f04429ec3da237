#include "psp/platform/unicode.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

using namespace pspllm::psp;

namespace {

std::vector<char32_t> decode_all(std::string_view text) {
  std::vector<char32_t> found;
  while (!text.empty()) {
    const DecodedCodePoint decoded = decode_utf8(text);
    REQUIRE(decoded.bytes > 0);
    found.push_back(decoded.code_point);
    text.remove_prefix(decoded.bytes);
  }
  return found;
}

std::string encode(char32_t code_point) {
  std::array<char, 4> bytes{};
  return {bytes.data(), encode_utf8(code_point, bytes)};
}

constexpr char32_t bad = replacement_character;

}  // namespace

TEST_CASE("Every code point survives UTF-8 and UTF-16") {
  for (char32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    if (code_point == 0xD800) code_point = 0xE000;
    const std::string utf8 = encode(code_point);
    const DecodedCodePoint decoded = decode_utf8(utf8);
    std::array<char16_t, 2> utf16{};
    const Conversion wide = utf8_to_utf16(utf8, utf16);
    std::array<char, 4> back{};
    const Conversion narrow = utf16_to_utf8(std::span(utf16).first(wide.written), back);
    if (decoded.code_point != code_point || decoded.bytes != utf8.size() || !wide.complete ||
        std::string_view(back.data(), narrow.written) != utf8) {
      FAIL("U+", static_cast<std::uint32_t>(code_point));
    }
  }
}

TEST_CASE("Known encodings") {
  CHECK(encode(U'é') == "\xC3\xA9");
  CHECK(encode(U'€') == "\xE2\x82\xAC");
  CHECK(encode(U'😺') == "\xF0\x9F\x98\xBA");
  CHECK(encode(0xD800) == "\xEF\xBF\xBD");
  CHECK(encode(0x110000) == "\xEF\xBF\xBD");
  std::array<char16_t, 4> utf16{};
  CHECK(utf8_to_utf16("\xF0\x9F\x98\xBA!", utf16).written == 3);
  CHECK(utf16[0] == 0xD83D);
  CHECK(utf16[1] == 0xDE3A);
  CHECK(utf16[2] == u'!');
}

TEST_CASE("Ill-formed UTF-8 gives one replacement a maximal subpart") {
  // Unicode 15, table 3-8 and its neighbours.
  CHECK(decode_all("\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64") ==
        std::vector<char32_t>{'a', bad, bad, bad, 'b', bad, 'c', bad, bad, 'd'});
  CHECK(decode_all("\xC0\xAF") == std::vector<char32_t>{bad, bad});                    // overlong
  CHECK(decode_all("\xE0\x80\x80") == std::vector<char32_t>{bad, bad, bad});           // overlong
  CHECK(decode_all("\xED\xA0\x80") == std::vector<char32_t>{bad, bad, bad});           // surrogate
  CHECK(decode_all("\xF4\x90\x80\x80") == std::vector<char32_t>{bad, bad, bad, bad});  // above U+10FFFF
  CHECK(decode_all("\xFF") == std::vector<char32_t>{bad});
  CHECK(decode_utf8("").bytes == 0);
}

TEST_CASE("The beginning of a character at the end of a text is held back") {
  const std::string cat = "\xF0\x9F\x98\xBA";
  for (std::size_t bytes = 1; bytes < cat.size(); ++bytes) {
    CHECK(incomplete_tail_bytes("ab" + cat.substr(0, bytes)) == bytes);
    CHECK(incomplete_tail_bytes(cat.substr(0, bytes)) == bytes);
  }
  CHECK(incomplete_tail_bytes("ab" + cat) == 0);
  CHECK(incomplete_tail_bytes("") == 0);
  CHECK(incomplete_tail_bytes("\x80\x80\x80") == 0);
  CHECK(incomplete_tail_bytes("\xC3\xA9\xC3") == 1);
  CHECK(incomplete_tail_bytes("\xED\xA0") == 0);  // will never become a character
}

TEST_CASE("Conversions stop between two characters when the output is full") {
  std::array<char16_t, 2> utf16{};
  const Conversion wide = utf8_to_utf16("a\xF0\x9F\x98\xBA", utf16);
  CHECK(wide.written == 1);
  CHECK_FALSE(wide.complete);
  std::array<char, 3> utf8{};
  const std::array<char16_t, 2> accents = {u'é', u'é'};
  const Conversion narrow = utf16_to_utf8(accents, utf8);
  CHECK(narrow.written == 2);
  CHECK_FALSE(narrow.complete);
}

TEST_CASE("Lone surrogates become the replacement character") {
  std::array<char, 16> utf8{};
  const std::array<char16_t, 4> units = {0xDE3A, 0xD83D, u'x', 0xD83D};
  const Conversion done = utf16_to_utf8(units, utf8);
  CHECK(decode_all({utf8.data(), done.written}) == std::vector<char32_t>{bad, bad, 'x', bad});
}
