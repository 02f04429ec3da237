#include "psp/platform/font.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>

#include "psp/platform/font_data.hpp"

using namespace pspllm::psp;

TEST_CASE("The table is sorted and begins with ASCII without gaps") {
  CHECK(font_data.code_points.size() == font_data.glyphs.size());
  CHECK(std::is_sorted(font_data.code_points.begin(), font_data.code_points.end()));
  for (std::uint16_t code = 0x20; code <= 0x7E; ++code) CHECK(font_data.code_points[code - 0x20U] == code);
}

TEST_CASE("Latin-1, Latin Extended-A and common typographic characters are drawn") {
  for (char32_t code = 0xA0; code <= 0xFF; ++code) {
    CAPTURE(static_cast<std::uint32_t>(code));
    CHECK(has_glyph(code));
  }
  for (const char32_t code : std::u32string_view(U"Œœ–—―‘’‚“”„•…‹›€™←↑→↓█▉▊▋▌▍▎▏░▒▓○△□✕✓�")) {
    CAPTURE(static_cast<std::uint32_t>(code));
    CHECK(has_glyph(code));
  }
}

TEST_CASE("Different characters look different") {
  constexpr std::u32string_view confusable = U"-–—_.…·•'‘’\"“”lI1|0O";
  for (std::size_t i = 0; i < confusable.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool same_dash = confusable[i] == U'–' && confusable[j] == U'-';
      CAPTURE(static_cast<std::uint32_t>(confusable[i]));
      CAPTURE(static_cast<std::uint32_t>(confusable[j]));
      CHECK((same_dash || glyph_for(confusable[i]) != glyph_for(confusable[j])));
    }
  }
}

TEST_CASE("What has no picture is drawn as the replacement sign, which is not blank") {
  for (const char32_t code : {U'😺', U'漢', char32_t{0x07}, char32_t{0x110000}}) {
    CHECK_FALSE(has_glyph(code));
    CHECK(glyph_for(code) == glyph_for(0xFFFD));
  }
  CHECK(glyph_for(0xFFFD) != glyph_for(U' '));
}
