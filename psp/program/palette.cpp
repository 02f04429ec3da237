#include "psp/program/palette.hpp"

namespace pspllm::psp {
namespace {

constexpr Palette make_night() {
  constexpr Pixel ground = rgb(12, 14, 24);
  constexpr Pixel bar = rgb(36, 44, 76);
  return {{
      {rgb(222, 226, 238), ground},
      {rgb(134, 142, 166), ground},
      {rgb(255, 196, 92), ground},
      {rgb(236, 240, 250), ground},
      {rgb(236, 240, 250), bar},
      {rgb(158, 170, 206), bar},
      {rgb(12, 14, 24), rgb(255, 196, 92)},
      {rgb(84, 90, 110), ground},
      {rgb(255, 122, 110), ground},
      {rgb(12, 14, 24), rgb(94, 162, 255)},
      {rgb(12, 14, 24), rgb(255, 196, 92)},
      {rgb(12, 14, 24), rgb(112, 210, 140)},
      {rgb(12, 14, 24), rgb(216, 130, 222)},
      {rgb(134, 142, 166), rgb(30, 34, 52)},
  }};
}

constexpr Palette make_paper() {
  constexpr Pixel ground = rgb(248, 244, 232);
  constexpr Pixel bar = rgb(216, 206, 182);
  return {{
      {rgb(40, 36, 30), ground},
      {rgb(124, 114, 98), ground},
      {rgb(160, 60, 20), ground},
      {rgb(30, 28, 26), ground},
      {rgb(40, 36, 30), bar},
      {rgb(104, 94, 76), bar},
      {rgb(248, 244, 232), rgb(160, 60, 20)},
      {rgb(182, 172, 154), ground},
      {rgb(190, 20, 20), ground},
      {rgb(248, 244, 232), rgb(52, 104, 170)},
      {rgb(248, 244, 232), rgb(176, 110, 30)},
      {rgb(248, 244, 232), rgb(58, 132, 76)},
      {rgb(248, 244, 232), rgb(136, 72, 146)},
      {rgb(124, 114, 98), rgb(232, 224, 204)},
  }};
}

/// One bright colour on black, as old terminals had it.
constexpr Palette make_terminal(unsigned red, unsigned green, unsigned blue) {
  constexpr Pixel ground = rgb(4, 6, 4);
  const auto shade = [&](unsigned percent) {
    return rgb(red * percent / 100, green * percent / 100, blue * percent / 100);
  };
  const Pixel bar = shade(22);
  return {{
      {shade(90), ground},
      {shade(58), ground},
      {rgb(240, 240, 220), ground},
      {shade(100), ground},
      {shade(100), bar},
      {shade(72), bar},
      {ground, shade(100)},
      {shade(38), ground},
      {rgb(255, 122, 110), ground},
      {ground, shade(95)},
      {ground, shade(72)},
      {ground, shade(54)},
      {ground, shade(40)},
      {shade(58), shade(14)},
  }};
}

constexpr Palette palettes[color_theme_count] = {
    make_night(),
    make_paper(),
    make_terminal(90, 240, 120),
    make_terminal(255, 184, 70),
};

}  // namespace

const Palette& palette_of(ColorTheme theme) {
  return palettes[static_cast<std::size_t>(theme)];
}

}  // namespace pspllm::psp
