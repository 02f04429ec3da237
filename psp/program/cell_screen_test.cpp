#include "psp/program/cell_screen.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

namespace pspllm::psp {
namespace {

std::string row_of(const CellScreen& screen, int row) {
  std::string text;
  for (int column = 0; column < text_columns; ++column) {
    const char32_t code_point = screen.cell(column, row).code_point();
    text += code_point < 0x80 ? static_cast<char>(code_point) : '?';
  }
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

/// Two frame buffers, as the console has them.
struct Buffers {
  std::vector<Pixel> pixels[2] = {std::vector<Pixel>(surface_stride * screen_height),
                                  std::vector<Pixel>(surface_stride* screen_height)};
  Surface surface(int index) { return {pixels[index].data()}; }
};

TEST_CASE("only cells that differ from what a buffer holds are drawn, in each buffer for itself") {
  auto screen = std::make_unique<CellScreen>();
  Buffers buffers;
  constexpr std::size_t all = std::size_t{text_columns} * text_rows;
  CHECK(screen->draw(buffers.surface(0), 0) == all);
  CHECK(screen->draw(buffers.surface(1), 1) == all);
  CHECK(screen->draw(buffers.surface(0), 0) == 0);
  screen->put_text(3, 4, "abc", InkId::text);
  CHECK(screen->draw(buffers.surface(0), 0) == 3);
  screen->put_text(3, 4, "abd", InkId::text);
  CHECK(screen->draw(buffers.surface(1), 1) == 3);
  CHECK(screen->draw(buffers.surface(0), 0) == 1);
  CHECK(buffers.pixels[0] == buffers.pixels[1]);
  screen->put(3, 4, U'a', InkId::person);
  CHECK(screen->draw(buffers.surface(0), 0) == 1);
  screen->forget_buffers();
  CHECK(screen->draw(buffers.surface(0), 0) == all);
}

TEST_CASE("cells outside of the screen are ignored, control characters are replaced") {
  auto screen = std::make_unique<CellScreen>();
  screen->put(-1, 0, U'x', InkId::text);
  screen->put(text_columns, 0, U'x', InkId::text);
  screen->put(0, text_rows, U'x', InkId::text);
  CHECK(row_of(*screen, 0).empty());
  CHECK(screen->put_text(57, 1, "abcdef", InkId::text) == 63);
  CHECK(screen->cell(59, 1).code_point() == U'c');
  screen->put_text(0, 2, "a\x01\xFF", InkId::text);
  CHECK(screen->cell(1, 2).code_point() == U'\uFFFD');
  CHECK(screen->cell(2, 2).code_point() == U'\uFFFD');
  screen->put_text_right(10, 3, "caf\xC3\xA9", InkId::text);
  CHECK(screen->cell(9, 3).code_point() == U'\u00E9');
}

TEST_CASE("paragraphs break at words, cut what is longer than a line, and stop at the last row") {
  auto screen = std::make_unique<CellScreen>();
  CHECK(screen->put_paragraph(0, 0, 10, 5, "one two three\nfour", InkId::text) == 3);
  CHECK(row_of(*screen, 0) == "one two");
  CHECK(row_of(*screen, 1) == "three");
  CHECK(row_of(*screen, 2) == "four");
  CHECK(screen->put_paragraph(0, 5, 4, 5, "abcdefgh ij", InkId::text) == 8);
  CHECK(row_of(*screen, 5) == "abcd");
  CHECK(row_of(*screen, 7) == "ij");
  CHECK(screen->put_paragraph(0, 10, 10, 1, "one two three", InkId::text) == 11);
  CHECK(row_of(*screen, 11).empty());
  // A line that is exactly full needs no other.
  CHECK(screen->put_paragraph(0, 15, 7, 5, "one two", InkId::text) == 16);
  CHECK(screen->put_paragraph(0, 20, 7, 5, "one two three", InkId::text) == 22);
  CHECK(row_of(*screen, 20) == "one two");
}

}  // namespace
}  // namespace pspllm::psp
