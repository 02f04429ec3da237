// The screen as 60 x 34 character cells: screens write what they want to see, and only cells that differ from
// what a frame buffer holds are drawn into it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "psp/platform/drawing.hpp"
#include "psp/program/palette.hpp"

namespace pspllm::psp {

/// One cell, which character in which ink, in one word: three screens of them are held.
class Cell {
 public:
  constexpr Cell() = default;
  constexpr Cell(char32_t code_point, InkId ink)
      : bits_(static_cast<std::uint32_t>(code_point) | static_cast<std::uint32_t>(ink) << ink_shift) {}

  [[nodiscard]] constexpr char32_t code_point() const { return bits_ & code_point_mask; }
  [[nodiscard]] constexpr InkId ink() const { return static_cast<InkId>(bits_ >> ink_shift); }

  friend constexpr bool operator==(Cell, Cell) = default;

 private:
  static constexpr unsigned ink_shift = 24;
  static constexpr std::uint32_t code_point_mask = 0xFFFFFF;

  std::uint32_t bits_ = 0;
};

class CellScreen {
 public:
  CellScreen();

  /// Empties the screen.
  void clear(InkId ink = InkId::text);
  /// Cells outside the screen are ignored.
  void put(int column, int row, char32_t code_point, InkId ink);
  /// One cell a code point, at most `most_columns`; control characters and ill-formed bytes become the
  /// replacement sign. Returns the column behind the last character.
  int put_text(int column, int row, std::string_view utf8, InkId ink, int most_columns = text_columns);
  /// So that the text ends in the column before `end_column`.
  void put_text_right(int end_column, int row, std::string_view utf8, InkId ink);
  /// Text wrapped at words into lines of `columns`, at most `rows` of them. Returns the row behind the last.
  int put_paragraph(int column, int row, int columns, int rows, std::string_view utf8, InkId ink);
  /// Blanks in this ink.
  void fill(int column, int row, int columns, InkId ink);

  [[nodiscard]] Cell cell(int column, int row) const { return wanted_[index_of(column, row)]; }

  /// Other colours from now on; everything is drawn again.
  void set_theme(ColorTheme theme);

  /// Draws what differs into the surface of buffer 0 or 1. Returns how many cells were drawn.
  std::size_t draw(Surface surface, int buffer_index);

  /// Both buffers have been drawn over by someone else.
  void forget_buffers();

 private:
  static constexpr std::size_t cell_count = std::size_t{text_columns} * text_rows;
  static constexpr std::size_t buffer_count = 2;
  using Cells = std::array<Cell, cell_count>;

  [[nodiscard]] static std::size_t index_of(int column, int row) {
    return static_cast<std::size_t>(row) * text_columns + static_cast<std::size_t>(column);
  }

  const Palette* palette_;
  Cells wanted_;                          // [text_rows, text_columns]
  std::array<Cells, buffer_count> held_;  // [buffer_count, text_rows, text_columns]
};

/// How many cells a text takes.
[[nodiscard]] int cells_of(std::string_view utf8);

}  // namespace pspllm::psp
