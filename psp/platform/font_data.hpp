// The font's table, made at build time from psp/assets/font8x8.hex (pspllm-package font).
#pragma once

#include <cstdint>
#include <span>

#include "psp/platform/font.hpp"

namespace pspllm::psp {

struct FontData {
  std::span<const std::uint16_t> code_points;  // [n_glyphs], rising
  std::span<const Glyph> glyphs;               // [n_glyphs]
};

extern const FontData font_data;

}  // namespace pspllm::psp
