// What can be done with a story or a conversation: begin it, go on, add to it, save it. Where the model has a
// chat template, words are said to it; otherwise they begin a story or are added to it.
#pragma once

#include <string_view>

#include "psp/program/program_state.hpp"

namespace pspllm::psp {

/// The keyboard, with `initial` to be edited, then what the model makes of it.
void write_prompt(ProgramState& state, std::string_view initial);

/// Says the words in the conversation, or begins a story with them; writes until it stops; remembers them.
void use_prompt(ProgramState& state, std::string_view prompt);

/// The last prompt once more. In a conversation: takes the last answer back and lets the model give another.
void repeat_last(ProgramState& state);

/// Writes on; where the model has ended its text, asks for words first. Says so where there is no room.
void continue_text(ProgramState& state);

/// The keyboard, then the words and what the model makes of them.
void add_words(ProgramState& state);

/// A story: the keyboard for its beginning. A conversation: forgets the old one, and waits for words.
void begin_anew(ProgramState& state);

/// Saves the transcript and tells where it is.
void save_text(ProgramState& state);

/// Generates token after token, with the screen kept up to date, until the text stops. Called of each token
/// where `on_token` is given.
struct TokenListener {
  void* context = nullptr;
  void (*on_token)(void* context, const TokenStep& step) = nullptr;
};
[[nodiscard]] StopReason write_until_it_stops(ProgramState& state, const TokenListener& listener);

}  // namespace pspllm::psp
