// The memory plan, drawn: the block as one bar, and every region with its bytes.
#pragma once

#include "psp/program/program_state.hpp"

namespace pspllm::psp {

void show_memory(ProgramState& state);

}  // namespace pspllm::psp
