// What can be done with a story: begin it, go on, add to it, save it.
#pragma once

#include <string_view>

#include "psp/program/program_state.hpp"

namespace pspllm::psp {

/// The keyboard, with `initial` to be edited, then the story.
void write_prompt(ProgramState& state, std::string_view initial);

/// Begins a story with this prompt and writes until it stops; remembers the prompt.
void tell_story(ProgramState& state, std::string_view prompt);

/// Writes on; where the model has ended the story, asks for words first. Says so where there is no room.
void continue_story(ProgramState& state);

/// The keyboard, then the words and what the model makes of them.
void add_words(ProgramState& state);

/// Saves the transcript and tells where it is.
void save_story(ProgramState& state);

/// Generates token after token, with the screen kept up to date, until the story stops. Called of each token
/// where `on_token` is given.
struct TokenListener {
  void* context = nullptr;
  void (*on_token)(void* context, const TokenStep& step) = nullptr;
};
[[nodiscard]] StopReason write_until_it_stops(ProgramState& state, const TokenListener& listener);

}  // namespace pspllm::psp
