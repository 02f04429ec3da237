#include "psp/program/text_actions.hpp"

#include "psp/program/busy.hpp"
#include "psp/program/interaction.hpp"
#include "psp/program/markers.hpp"
#include "psp/program/saved_files.hpp"
#include "psp/program/transcript.hpp"
#include "psp/screens/message_screen.hpp"
#include "psp/screens/text_screen.hpp"

namespace pspllm::psp {
namespace {

/// A seed that differs from one story to the next.
std::uint32_t fresh_seed(ProgramState& state) {
  return static_cast<std::uint32_t>(state.console.now_us());
}

SamplerOptions current_options(ProgramState& state) {
  return sampler_options(state.settings, fresh_seed(state));
}

void write_on(ProgramState& state) {
  state.view.follow = true;
  set_note(state, {});
  static_cast<void>(write_until_it_stops(state, {}));
}

void tell_problem(ProgramState& state, std::string_view title, const pspllm::Status& status) {
  show_message(state,
               {title, status.error().message.view(),
                "The prompt is kept among the earlier prompts (SELECT), where it can be changed. A longer "
                "context can be set in the settings, where the model has one."},
               "back");
}

pspllm::Status begin_with(ProgramState& state, std::string_view prompt) {
  const SamplerOptions options = current_options(state);
  if (!state.session.can_chat()) return state.session.begin(prompt, options, state.settings.length);
  return state.session.say(prompt, system_prompt(state.settings), options, state.settings.length);
}

}  // namespace

StopReason write_until_it_stops(ProgramState& state, const TokenListener& listener) {
  announce(state, "writing");
  begin_busy(state);
  TokenStep step;
  std::uint32_t tokens = 0;
  do {
    step = state.session.step();
    state.view.dirty = true;
    if (step.has_token && listener.on_token != nullptr) listener.on_token(listener.context, step);
    refresh_text_while_busy(state);
    if (step.has_token) mark<MarkerKind::token>(++tokens);
  } while (step.stop == StopReason::none);
  mark<MarkerKind::answer_end>();
  drop_presses(state);
  return step.stop;
}

void write_prompt(ProgramState& state, std::string_view initial) {
  const bool chat = state.session.can_chat();
  const std::optional<std::string_view> prompt =
      ask_person(state, chat ? "What you say" : "The beginning of the story", initial);
  // A model begins a story by itself, but there is no answer to nothing.
  if (prompt && (!chat || !prompt->empty())) use_prompt(state, *prompt);
}

void use_prompt(ProgramState& state, std::string_view prompt) {
  // The prompt may lie in the history, whose entries are about to move.
  const TextBuffer<max_typed_prompt_bytes> kept(prompt);
  state.history.remember(kept.view());
  save_history(state);
  const TextBuffer<max_sentence_bytes> save_note = state.view.note;
  const pspllm::Status status = begin_with(state, kept.view());
  if (!status) {
    tell_problem(state, state.session.can_chat() ? "This cannot be said" : "The story cannot begin", status);
    return;
  }
  if (!state.session.is_chat()) state.view = {};
  write_on(state);
  if (!save_note.empty()) set_note(state, save_note.view());
}

void repeat_last(ProgramState& state) {
  if (!state.session.is_chat()) {
    if (state.history.size() != 0) use_prompt(state, state.history.prompt(0));
  } else if (state.session.answer_anew(current_options(state), state.settings.length)) {
    write_on(state);
  } else {
    set_note(state, "This answer is too long to be taken back.");
  }
}

void continue_text(ProgramState& state) {
  if (state.session.can_continue()) {
    state.session.go_on(current_options(state), state.settings.length);
    write_on(state);
  } else if (state.session.can_add_text()) {
    add_words(state);
  } else if (!state.session.empty()) {
    set_note(state, "The context is full: save what there is, then begin anew (menu).");
  }
}

void add_words(ProgramState& state) {
  if (state.session.can_chat()) {
    write_prompt(state, {});
    return;
  }
  const std::optional<std::string_view> words = ask_person(state, "How the story goes on", {});
  if (!words || words->empty()) return;
  const pspllm::Status status = state.session.add_text(*words, current_options(state), state.settings.length);
  if (!status) {
    tell_problem(state, "The words do not fit", status);
    return;
  }
  write_on(state);
}

void begin_anew(ProgramState& state) {
  if (!state.session.can_chat()) {
    write_prompt(state, {});
    return;
  }
  state.session.clear();
  state.view = {};
}

void save_text(ProgramState& state) {
  const TranscriptFacts facts{state.model.title, state.console.local_time(), state.console.clock(),
                              state.settings};
  Path path;
  const Status status = save_transcript(state.stick, state.folder, state.session, facts, path);
  if (!status.ok()) {
    show_message(
        state,
        {state.session.is_chat() ? "The chat was not saved" : "The story was not saved",
         status.sentence.view(),
         state.session.is_chat()
             ? "Nothing is lost: the chat is still on the screen, and older ones are untouched. Make room on "
               "the Memory Stick or unlock it, then save again."
             : "Nothing is lost: the story is still on the screen, and older stories are untouched. Make "
               "room "
               "on the Memory Stick or unlock it, then save again."},
        "back");
    return;
  }
  TextBuffer<max_sentence_bytes> note("Saved as ");
  set_note(state, note.append(path.view()).view());
}

}  // namespace pspllm::psp
