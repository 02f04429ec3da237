// What each button does.
#pragma once

#include "psp/program/program_state.hpp"

namespace pspllm::psp {

void show_controls(ProgramState& state);

}  // namespace pspllm::psp
