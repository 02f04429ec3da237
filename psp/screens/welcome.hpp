// What stands where nothing has been said yet: what the model does, and how to begin.
#pragma once

#include "psp/program/program_state.hpp"

namespace pspllm::psp {

/// For a model that tells stories, or for one that answers: who it is, which buttons do what, and the system
/// prompt.
void draw_welcome(ProgramState& state);

}  // namespace pspllm::psp
