#include "psp/platform/drawing.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using namespace pspllm::psp;

namespace {

constexpr Pixel untouched = 0x1234;
constexpr Ink ink{0xFFFF, 0x0001};

/// A surface with a margin around it that drawing must not touch.
class Canvas {
 public:
  Canvas() : pixels_(std::size_t{surface_stride} * (screen_height + 2), untouched) {}
  [[nodiscard]] Surface surface() { return {pixels_.data() + surface_stride}; }
  [[nodiscard]] Pixel at(int x, int y) const {
    return pixels_[static_cast<std::size_t>(y + 1) * surface_stride + static_cast<std::size_t>(x)];
  }
  [[nodiscard]] std::size_t touched() const {
    return pixels_.size() - static_cast<std::size_t>(std::count(pixels_.begin(), pixels_.end(), untouched));
  }

 private:
  std::vector<Pixel> pixels_;
};

}  // namespace

TEST_CASE("Colours are packed as the hardware reads them") {
  CHECK(rgb(255, 0, 0) == 0x001F);
  CHECK(rgb(0, 255, 0) == 0x07E0);
  CHECK(rgb(0, 0, 255) == 0xF800);
  CHECK(rgb(255, 255, 255) == 0xFFFF);
}

TEST_CASE("A cell is its glyph and nothing more") {
  Canvas canvas;
  draw_cell(canvas.surface(), 3, 2, U'A', ink);
  CHECK(canvas.touched() == 64);
  const Glyph& glyph = glyph_for(U'A');
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) {
      const bool set = (glyph[static_cast<std::size_t>(y)] >> (7 - x) & 1) != 0;
      CHECK(canvas.at(24 + x, 16 + y) == (set ? ink.foreground : ink.background));
    }
  }
}

TEST_CASE("Nothing is drawn outside the screen") {
  Canvas canvas;
  for (const auto& [column, row] : {std::pair(-1, 0), std::pair(60, 0), std::pair(0, -1), std::pair(0, 34)}) {
    draw_cell(canvas.surface(), column, row, U'X', ink);
  }
  CHECK(canvas.touched() == 0);
  draw_cell(canvas.surface(), 59, 33, U'X', ink);
  CHECK(canvas.at(479, 271) == ink.background);
  CHECK(draw_text(canvas.surface(), 58, 0, "abcd", ink) == 62);
  CHECK(canvas.touched() == 3 * 64);
}

TEST_CASE("Text takes one cell a code point, ill-formed bytes included") {
  Canvas canvas;
  Canvas expected;
  CHECK(draw_text(canvas.surface(), 0, 0, "\xC3\xA9\xFF\xE2\x82\xAC", ink) == 3);
  draw_cell(expected.surface(), 0, 0, U'é', ink);
  draw_cell(expected.surface(), 1, 0, 0xFFFD, ink);
  draw_cell(expected.surface(), 2, 0, U'€', ink);
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 24; ++x) CHECK(canvas.at(x, y) == expected.at(x, y));
  }
}

TEST_CASE("Rectangles are clipped, at odd and even edges") {
  for (int x = -3; x <= 3; ++x) {
    for (int width = 0; width <= 6; ++width) {
      Canvas canvas;
      fill_rectangle(canvas.surface(), x, 5, width, 2, 7);
      const int visible = std::max(0, x + width) - std::max(0, x);
      CHECK(canvas.touched() == static_cast<std::size_t>(2 * visible));
    }
  }
  Canvas canvas;
  fill_rectangle(canvas.surface(), -1'000'000, -1'000'000, 2'000'000, 2'000'000, 7);
  CHECK(canvas.touched() == static_cast<std::size_t>(screen_width * screen_height));
  fill_rectangle(canvas.surface(), 2'000'000'000, 0, 2'000'000'000, 5, 8);
  CHECK(canvas.at(0, 0) == 7);
}
