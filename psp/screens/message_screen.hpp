// One message in words, with what to do; every error ends here.
#pragma once

#include <string_view>

#include "psp/program/program_state.hpp"

namespace pspllm::psp {

struct ScreenMessage {
  std::string_view title;     ///< "The model cannot be loaded"
  std::string_view sentence;  ///< What is wrong.
  std::string_view advice;    ///< What to do.
  bool is_error = true;
};

void draw_message(CellScreen& screen, const ScreenMessage& message, std::string_view hints);

/// Shows the message until the person confirms or cancels, or `most_seconds` have passed (0: for ever).
/// Returns true for "confirmed", false otherwise.
bool show_message(ProgramState& state, const ScreenMessage& message, std::string_view confirm_means,
                  std::uint32_t most_seconds = 0);

}  // namespace pspllm::psp
