// The screen font: 8 x 8 pixels a character, 60 columns by 34 rows. Latin-1, Latin Extended-A, Greek,
// Cyrillic, box drawing and typographic characters; everything else is a visible replacement sign. See
// psp/assets/README.md.
#pragma once

#include <array>
#include <cstdint>

namespace pspllm::psp {

constexpr int glyph_width = 8;   ///< Pixels.
constexpr int glyph_height = 8;  ///< Pixels.

/// Eight lines from the top; in each the most significant bit is the leftmost pixel.
using Glyph = std::array<std::uint8_t, glyph_height>;

/// The character's picture, or the replacement sign's (U+FFFD).
[[nodiscard]] const Glyph& glyph_for(char32_t code_point);

/// False when glyph_for() would give the replacement sign.
[[nodiscard]] bool has_glyph(char32_t code_point);

}  // namespace pspllm::psp
