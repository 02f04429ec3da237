#include "psp/platform/drawing.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

#include "psp/platform/unicode.hpp"

namespace pspllm::psp {
namespace {

/// Two neighbouring pixels, written at once: video memory is not cached, so the number of stores is what
/// counts.
using PixelPair = std::uint32_t __attribute__((may_alias));

constexpr PixelPair pair_of(Pixel left, Pixel right) {
  return left | static_cast<std::uint32_t>(right) << 16U;
}

constexpr std::ptrdiff_t pixel_offset(int x, int y) {
  return std::ptrdiff_t{y} * surface_stride + x;
}

PixelPair* pairs_at(Surface surface, int x, int y) {
  return reinterpret_cast<PixelPair*>(surface.pixels + pixel_offset(x, y));
}

void fill_line(Pixel* line, int width, Pixel color) {
  int x = 0;
  if ((reinterpret_cast<std::uintptr_t>(line) & 3U) != 0 && width > 0) line[x++] = color;
  for (; x + 1 < width; x += 2) *reinterpret_cast<PixelPair*>(line + x) = pair_of(color, color);
  if (x < width) line[x] = color;
}

struct Range {
  int begin;
  int end;
};

Range clip(int begin, int size, int limit) {
  const std::int64_t end = std::int64_t{begin} + size;
  return {begin < 0 ? 0 : begin, end > limit ? limit : static_cast<int>(end)};
}

}  // namespace

void fill_rectangle(Surface surface, int x, int y, int width, int height, Pixel color) {
  const Range columns = clip(x, width, screen_width);
  const Range lines = clip(y, height, screen_height);
  for (int line = lines.begin; line < lines.end; ++line) {
    fill_line(surface.pixels + pixel_offset(columns.begin, line), columns.end - columns.begin, color);
  }
}

void draw_cell(Surface surface, int column, int row, char32_t code_point, Ink ink) {
  if (column < 0 || column >= text_columns || row < 0 || row >= text_rows) return;
  const std::array<std::uint32_t, 4> pairs = {
      pair_of(ink.background, ink.background), pair_of(ink.background, ink.foreground),
      pair_of(ink.foreground, ink.background), pair_of(ink.foreground, ink.foreground)};
  const Glyph& glyph = glyph_for(code_point);
  PixelPair* out = pairs_at(surface, column * glyph_width, row * glyph_height);
  for (const std::uint8_t line : glyph) {
    out[0] = pairs[line >> 6U];
    out[1] = pairs[line >> 4U & 3U];
    out[2] = pairs[line >> 2U & 3U];
    out[3] = pairs[line & 3U];
    out += surface_stride / 2;
  }
}

int draw_text(Surface surface, int column, int row, std::string_view utf8, Ink ink) {
  while (!utf8.empty()) {
    const DecodedCodePoint decoded = decode_utf8(utf8);
    draw_cell(surface, column++, row, decoded.code_point, ink);
    utf8.remove_prefix(decoded.bytes);
  }
  return column;
}

}  // namespace pspllm::psp
