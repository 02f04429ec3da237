// The models on the stick, with what each needs; one is chosen.
#pragma once

#include <optional>

#include "psp/program/program_state.hpp"

namespace pspllm::psp {

/// Looks at the stick again and shows what is there until a model that can run is chosen. Nothing when the
/// person goes back or leaves. A model that cannot run tells why when it is chosen.
[[nodiscard]] std::optional<std::size_t> show_models(ProgramState& state);

/// Fills state.models for the context that the settings ask for.
void rescan_models(ProgramState& state);

}  // namespace pspllm::psp
