// The buttons and the stick, read from the system. What presses mean over time is pad_events.hpp.
#pragma once

#include "psp/platform/pad_events.hpp"

namespace pspllm::psp {

/// Starts sampling once a vertical blank, with the analog stick. Call once.
void start_pad();

/// What is held now, and what was pressed since the last call: the system latches presses, so that one
/// between two polls that lie far apart (a layer of a large model) is not lost. Never waits.
[[nodiscard]] PadSample read_pad();

}  // namespace pspllm::psp
