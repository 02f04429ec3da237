// The program from its first screen to its last.
#pragma once

#include "psp/program/program_state.hpp"

namespace pspllm::psp {

/// Runs autorun.txt where there is one (not while SELECT is held at the start), else serves the person until
/// they leave. state.folder, block, memory and started_us are set by the caller.
void run_application(ProgramState& state);

}  // namespace pspllm::psp
