// What the person has set in the console's own menu.
#pragma once

#include "psp/platform/pad_events.hpp"

namespace pspllm::psp {

/// The button that confirms: Cross, or Circle on consoles set up for Japan. The other one cancels.
[[nodiscard]] Button confirm_button();
[[nodiscard]] Button cancel_button();

/// The system's language number (0 Japanese, 1 English, 2 French, ...); what its dialogs are asked to speak.
[[nodiscard]] int system_language();

}  // namespace pspllm::psp
