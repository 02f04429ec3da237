// The settings, one a line: left and right change the chosen one.
#pragma once

#include "psp/program/program_state.hpp"

namespace pspllm::psp {

/// Lets the person change state.settings; clock and colours take effect at once. Everything is saved on the
/// stick when the screen is left.
void show_settings(ProgramState& state);

}  // namespace pspllm::psp
