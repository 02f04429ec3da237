// The colours of the screen: what each kind of text looks like in each theme.
#pragma once

#include <array>
#include <cstdint>

#include "psp/platform/drawing.hpp"
#include "psp/program/settings.hpp"

namespace pspllm::psp {

/// What a cell is, not what it looks like.
enum class InkId : std::uint8_t {
  text,      ///< Plain text of screens.
  dim,       ///< Less important.
  person,    ///< The prompt.
  model,     ///< The answer.
  bar,       ///< Title and status lines.
  bar_dim,   ///< Less important, on those.
  selected,  ///< The chosen line of a list.
  disabled,  ///< A line that cannot be chosen now.
  warning,
  fill,  ///< The full part of a progress bar, and the first colour of the memory chart.
  fill_2,
  fill_3,
  fill_4,
  empty  ///< The empty part.
};
inline constexpr std::size_t ink_count = 14;

using Palette = std::array<Ink, ink_count>;  // [ink_count] by InkId

[[nodiscard]] const Palette& palette_of(ColorTheme theme);

}  // namespace pspllm::psp
