// A run without a person: autorun.txt in, state.txt and figures.txt out.
#pragma once

#include "psp/program/program_state.hpp"

namespace pspllm::psp {

/// True when there was an autorun.txt: it has been run, or its failure told and written down, and the program
/// is to end. state.txt grows as the tokens come; figures.txt is there when the run is over.
[[nodiscard]] bool run_autorun(ProgramState& state);

}  // namespace pspllm::psp
