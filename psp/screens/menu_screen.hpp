// The menu: everything that can be done besides writing the next prompt.
#pragma once

#include "psp/program/program_state.hpp"

namespace pspllm::psp {

enum class MenuChoice : std::uint8_t {
  back,
  go_on,
  add_words,
  begin_anew,
  earlier_prompts,
  save_text,
  settings,
  memory,
  models,
  benchmark,
  controls,
  leave
};

/// Shows the menu over a fresh screen until something is chosen.
[[nodiscard]] MenuChoice show_menu(ProgramState& state);

}  // namespace pspllm::psp
