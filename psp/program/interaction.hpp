// One round of every screen: show, wait for the blank, look at the pad; and what must be looked after at all
// times (leaving, sleep and wake).
#pragma once

#include <optional>
#include <string_view>

#include "psp/program/program_state.hpp"

namespace pspllm::psp {

/// Shows what was drawn, waits for the next vertical blank, gives what happened on the pad. Nothing when the
/// program is to end.
[[nodiscard]] std::optional<PadEvents> next_events(ProgramState& state);

/// Writes "screen: NAME" to the log, for scripts that play the program in an emulator.
void announce(ProgramState& state, std::string_view screen_name);

/// After the console slept: sets the clock again and draws everything again.
void notice_wake(ProgramState& state);

/// Presses so far belong to something else: forget them.
void drop_presses(ProgramState& state);

/// The system keyboard over the current screen. Nothing when it was cancelled or failed; failure is told in
/// the story's note.
[[nodiscard]] std::optional<std::string_view> ask_person(ProgramState& state, std::string_view title,
                                                         std::string_view initial);

/// "CROSS", "TRIANGLE" ...
[[nodiscard]] std::string_view name_of(Button button);

/// Sets the clock that the settings ask for.
void apply_clock(ProgramState& state);

/// Tells something in the line below the story.
void set_note(ProgramState& state, std::string_view note);
/// The same for what went wrong; nothing where nothing did.
void note_failure(ProgramState& state, const Status& status);

}  // namespace pspllm::psp
