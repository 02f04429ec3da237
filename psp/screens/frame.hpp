// What all screens share: a title line on top, a line of hints at the bottom.
#pragma once

#include <string_view>

#include "psp/program/cell_screen.hpp"

namespace pspllm::psp {

/// The title line: left and right part.
void draw_title(CellScreen& screen, std::string_view left, std::string_view right);
/// The last line.
void draw_hints(CellScreen& screen, std::string_view hints);

/// Rows between the two.
inline constexpr int first_content_row = 2;
inline constexpr int last_content_row = text_rows - 3;
inline constexpr int hints_row = text_rows - 1;

/// A bar of `columns` cells of which `done` of `total` are full.
void draw_bar(CellScreen& screen, int column, int row, int columns, std::uint64_t done, std::uint64_t total);

}  // namespace pspllm::psp
