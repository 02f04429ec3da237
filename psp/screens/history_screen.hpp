// Earlier prompts: used again as they are, or edited first.
#pragma once

#include <optional>
#include <string_view>

#include "psp/program/program_state.hpp"

namespace pspllm::psp {

struct ChosenPrompt {
  std::size_t index = 0;  ///< In the history.
  bool edit = false;      ///< To be changed in the keyboard first.
};

/// Nothing when the person goes back or leaves, or there are none.
[[nodiscard]] std::optional<ChosenPrompt> show_history(ProgramState& state);

}  // namespace pspllm::psp
