// While the program computes or reads: the pad is looked at, the screen kept up to date, the console kept
// awake, all between two layers of the model.
#pragma once

#include "engine/model/forward.hpp"
#include "psp/program/program_state.hpp"
#include "psp/program/text_session.hpp"

namespace pspllm::psp {

/// Forgets an earlier stop, and presses from before.
void begin_busy(ProgramState& state);

/// Looks at the pad and the time; false when the person wants to stop or to leave. Pad events move the
/// story's view.
[[nodiscard]] bool keep_computing(ProgramState& state);

/// keep_computing(), and the story's screen drawn where something changed, for the engine to call before each
/// layer.
[[nodiscard]] LayerHook layer_hook(ProgramState& state);

[[nodiscard]] TimeSource time_source(ProgramState& state);

}  // namespace pspllm::psp
