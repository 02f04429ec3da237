#include "psp/package/font_source.hpp"

#include <doctest/doctest.h>

using namespace pspllm::package;

TEST_CASE("A font file is read and written as C++") {
  const auto glyphs = parse_hex_font("# a comment\n0041:183C666666667E66\n\nFFFD:FF818181818181FF\n");
  REQUIRE_MESSAGE(glyphs.ok(), glyphs.error());
  REQUIRE(glyphs.value().size() == 2);
  CHECK(glyphs.value().at(0x41) ==
        std::array<std::uint8_t, 8>{0x18, 0x3C, 0x66, 0x66, 0x66, 0x66, 0x7E, 0x66});
  const std::string source = make_font_source(glyphs.value());
  CHECK(source.find("    0x0041,\n    0xfffd,\n") != std::string::npos);
  CHECK(source.find("{{0x18, 0x3c, 0x66, 0x66, 0x66, 0x66, 0x7e, 0x66}},") != std::string::npos);
}

TEST_CASE("A bad font file is refused with its line") {
  CHECK(parse_hex_font("0041:18").error() ==
        "Font, line 1: expected XXXX:YYYYYYYYYYYYYYYY in hexadecimal, found \"0041:18\".");
  CHECK(parse_hex_font("0041:183C66666666ZZ66").error().find("Font, line 1: expected") == 0);
  CHECK(parse_hex_font("0041:183C666666667E66\n0041:183C666666667E66").error() ==
        "Font, line 2: U+0041 is given twice.");
  CHECK(parse_hex_font("0041:183C666666667E66").error() ==
        "Font: there is no glyph for U+FFFD, which stands for all missing ones.");
}
