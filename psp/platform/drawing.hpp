// Drawing straight into a surface: filled rectangles and character cells.
#pragma once

#include <string_view>

#include "psp/platform/display.hpp"
#include "psp/platform/font.hpp"

namespace pspllm::psp {

constexpr int text_columns = screen_width / glyph_width;  ///< 60.
constexpr int text_rows = screen_height / glyph_height;   ///< 34.

/// Foreground and background of a cell.
struct Ink {
  Pixel foreground;
  Pixel background;
};

/// Fills the part of the rectangle that lies on the screen.
void fill_rectangle(Surface surface, int x, int y, int width, int height, Pixel color);

/// Draws one character in cell (column, row); cells outside the screen are ignored.
void draw_cell(Surface surface, int column, int row, char32_t code_point, Ink ink);

/// Draws UTF-8 text from cell (column, row) to the right, one cell a code point, without wrapping; ill-formed
/// bytes are drawn as the replacement sign. Returns the column after the last character drawn.
int draw_text(Surface surface, int column, int row, std::string_view utf8, Ink ink);

}  // namespace pspllm::psp
