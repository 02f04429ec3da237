#include "psp/program/cell_screen.hpp"

#include "engine/core/slice.hpp"
#include "psp/platform/unicode.hpp"

namespace pspllm::psp {
namespace {

/// A code point that no screen asks for: a cell that holds it differs from every other.
constexpr Cell unknown_cell{0xFFFFFF, InkId::text};

bool is_control(char32_t code_point) {
  return code_point < U' ' || (code_point >= 0x7F && code_point < 0xA0);
}

/// Calls visit(code_point) for each character until it gives false.
template <typename Visitor>
void for_each_character(std::string_view utf8, Visitor visit) {
  while (!utf8.empty()) {
    const DecodedCodePoint character = decode_utf8(utf8);
    utf8 = slice(utf8, character.bytes, utf8.size() - character.bytes);
    if (!visit(is_control(character.code_point) ? replacement_character : character.code_point)) return;
  }
}

}  // namespace

CellScreen::CellScreen() : palette_(&palette_of(ColorTheme::night)) {
  clear();
  forget_buffers();
}

void CellScreen::clear(InkId ink) {
  wanted_.fill(Cell(U' ', ink));
}

void CellScreen::put(int column, int row, char32_t code_point, InkId ink) {
  if (column < 0 || column >= text_columns || row < 0 || row >= text_rows) return;
  wanted_[index_of(column, row)] = Cell(code_point, ink);
}

int CellScreen::put_text(int column, int row, std::string_view utf8, InkId ink, int most_columns) {
  const int end = column + most_columns;
  for_each_character(utf8, [&](char32_t code_point) {
    if (column == end) return false;
    put(column++, row, code_point, ink);
    return true;
  });
  return column;
}

void CellScreen::put_text_right(int end_column, int row, std::string_view utf8, InkId ink) {
  put_text(end_column - cells_of(utf8), row, utf8, ink);
}

int CellScreen::put_paragraph(int column, int row, int columns, int rows, std::string_view utf8, InkId ink) {
  const int end_row = row + rows;
  while (!utf8.empty() && row < end_row) {
    // The longest run of whole words that fits; a word longer than a line is cut.
    std::size_t bytes = 0;
    std::size_t break_bytes = 0;
    int cells = 0;
    bool at_newline = false;
    while (bytes < utf8.size()) {
      const DecodedCodePoint character = decode_utf8(slice(utf8, bytes, utf8.size() - bytes));
      if (character.code_point == U'\n') {
        at_newline = true;
        break;
      }
      if (character.code_point == U' ') break_bytes = bytes;
      if (cells == columns) break;
      bytes += character.bytes;
      ++cells;
    }
    const bool whole = bytes == utf8.size() || at_newline;
    const std::size_t line_bytes = whole || break_bytes == 0 ? bytes : break_bytes;
    put_text(column, row++, slice(utf8, 0, line_bytes), ink, columns);
    std::size_t next = line_bytes;
    if (next < utf8.size() && (utf8[next] == '\n' || utf8[next] == ' ')) ++next;
    utf8 = slice(utf8, next, utf8.size() - next);
  }
  return row;
}

void CellScreen::fill(int column, int row, int columns, InkId ink) {
  for (int i = 0; i < columns; ++i) put(column + i, row, U' ', ink);
}

void CellScreen::set_theme(ColorTheme theme) {
  palette_ = &palette_of(theme);
  forget_buffers();
}

std::size_t CellScreen::draw(Surface surface, int buffer_index) {
  Cells& held = held_[static_cast<std::size_t>(buffer_index)];
  std::size_t drawn = 0;
  std::size_t index = 0;
  for (int row = 0; row < text_rows; ++row) {
    for (int column = 0; column < text_columns; ++column, ++index) {
      const Cell wanted = wanted_[index];
      if (wanted == held[index]) continue;
      held[index] = wanted;
      draw_cell(surface, column, row, wanted.code_point(),
                (*palette_)[static_cast<std::size_t>(wanted.ink())]);
      ++drawn;
    }
  }
  return drawn;
}

void CellScreen::forget_buffers() {
  for (Cells& held : held_) held.fill(unknown_cell);
}

int cells_of(std::string_view utf8) {
  int cells = 0;
  for_each_character(utf8, [&](char32_t) {
    ++cells;
    return true;
  });
  return cells;
}

}  // namespace pspllm::psp
