#include "psp/screens/frame.hpp"

namespace pspllm::psp {

void draw_title(CellScreen& screen, std::string_view left, std::string_view right) {
  screen.fill(0, 0, text_columns, InkId::bar);
  screen.put_text(1, 0, left, InkId::bar, text_columns - 3 - cells_of(right));
  screen.put_text_right(text_columns - 1, 0, right, InkId::bar_dim);
}

void draw_hints(CellScreen& screen, std::string_view hints) {
  screen.fill(0, hints_row, text_columns, InkId::bar);
  screen.put_text(1, hints_row, hints, InkId::bar_dim, text_columns - 2);
}

void draw_bar(CellScreen& screen, int column, int row, int columns, std::uint64_t done, std::uint64_t total) {
  const auto cells = static_cast<std::uint64_t>(columns);
  const int full = total == 0 ? columns : static_cast<int>(done * cells / total);
  screen.fill(column, row, full, InkId::fill);
  screen.fill(column + full, row, columns - full, InkId::empty);
}

}  // namespace pspllm::psp
