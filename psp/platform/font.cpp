#include "psp/platform/font.hpp"

#include <cstddef>

#include "psp/platform/font_data.hpp"
#include "psp/platform/unicode.hpp"

namespace pspllm::psp {
namespace {

constexpr std::size_t not_found = SIZE_MAX;

/// Index into the table by bisection; ASCII, which most text is, lies at its beginning without gaps.
std::size_t find_glyph(char32_t code_point) {
  constexpr char32_t first_printable = 0x20;
  constexpr char32_t last_ascii = 0x7E;
  if (code_point >= first_printable && code_point <= last_ascii) return code_point - first_printable;
  std::size_t low = 0;
  std::size_t high = font_data.code_points.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (font_data.code_points[middle] < code_point) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < font_data.code_points.size() && font_data.code_points[low] == code_point ? low : not_found;
}

}  // namespace

const Glyph& glyph_for(char32_t code_point) {
  const std::size_t index = find_glyph(code_point);
  return font_data.glyphs[index != not_found ? index : find_glyph(replacement_character)];
}

bool has_glyph(char32_t code_point) {
  return find_glyph(code_point) != not_found;
}

}  // namespace pspllm::psp
