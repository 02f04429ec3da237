// The story or the conversation: what both say as it streams, figures below, hints at the bottom. The
// program's main screen.
#pragma once

#include "psp/program/program_state.hpp"

namespace pspllm::psp {

/// Writes the whole screen into the cells. `busy`: the model is computing.
void draw_text(ProgramState& state, bool busy);

/// Draws while the model computes, where something changed or a second has passed, and never waits.
void refresh_text_while_busy(ProgramState& state);

/// Up and down scroll by a line, L and R by a screen, left to the beginning, right to the end.
void scroll_text(ProgramState& state, const PadEvents& events);

/// What the person asked for on the idle screen.
enum class TextAction : std::uint8_t { leave, new_prompt, go_on, repeat_last, earlier_prompts, menu };

/// Shows the text until the person asks for something.
[[nodiscard]] TextAction show_text(ProgramState& state);

}  // namespace pspllm::psp
