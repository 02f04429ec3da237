// From the font's text file (psp/assets/font8x8.hex) to a C++ source of the program.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "psp/package/result.hpp"

namespace pspllm::package {

/// Code point to eight lines of eight pixels, most significant bit on the left; sorted by code point.
using FontGlyphs = std::map<std::uint16_t, std::array<std::uint8_t, 8>>;

/// Reads lines `XXXX:YYYYYYYYYYYYYYYY` (code point and eight bytes in hexadecimal, GNU Unifont's .hex format
/// with an 8 x 8 cell); `#` begins a comment line. Refuses a code point given twice, or no U+FFFD (the
/// replacement sign).
[[nodiscard]] Result<FontGlyphs> parse_hex_font(std::string_view text);

/// C++ source that defines what psp/platform/font_data.hpp declares.
[[nodiscard]] std::string make_font_source(const FontGlyphs& glyphs);

}  // namespace pspllm::package
