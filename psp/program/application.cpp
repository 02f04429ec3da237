#include "psp/program/application.hpp"

#include "psp/program/autorun.hpp"
#include "psp/program/interaction.hpp"
#include "psp/program/markers.hpp"
#include "psp/program/saved_files.hpp"
#include "psp/program/text_actions.hpp"
#include "psp/screens/benchmark_screen.hpp"
#include "psp/screens/controls_screen.hpp"
#include "psp/screens/history_screen.hpp"
#include "psp/screens/loading_screen.hpp"
#include "psp/screens/memory_screen.hpp"
#include "psp/screens/menu_screen.hpp"
#include "psp/screens/message_screen.hpp"
#include "psp/screens/model_list_screen.hpp"
#include "psp/screens/settings_screen.hpp"
#include "psp/screens/text_screen.hpp"

namespace pspllm::psp {
namespace {

constexpr std::string_view copy_advice =
    "Copy model.pspm, or model.bin and tokenizer.bin, into the folder PSP/GAME/PspLlm of the Memory Stick, "
    "or into a folder "
    "of their own under PSP/GAME/PspLlm/models. On a PC, pspllm pack does it.";

/// Shows what is wrong; false when the person leaves instead of trying again.
bool offer_retry(ProgramState& state, std::string_view title, std::string_view sentence,
                 std::string_view advice) {
  return show_message(state, {title, sentence, advice}, "try again");
}

/// Loads a model of the list, says so where that fails. True when it is ready.
bool load_listed(ProgramState& state, std::size_t index) {
  const ModelName name = state.models.entries[index].name;
  pspllm::Message problem;
  if (load_with_progress(state, name, state.settings.context, problem)) {
    state.view = {};
    if (state.model.fit.fit == Fit::fits_shorter) {
      TextBuffer<160> note("There is memory for a context of ");
      note.append_unsigned(state.model.fit.context).append(" tokens; that is what the model runs with.");
      set_note(state, note.view());
    }
    if (state.settings.model.view() != name.view()) {
      state.settings.model = name;
      save_settings(state);
    }
    return true;
  }
  if (!problem.empty()) {
    show_message(state,
                 {"The model cannot be loaded", problem.view(),
                  "Copy the model's files to the Memory Stick again, or choose another model."},
                 "go on");
  }
  return false;
}

/// The person chooses until a model is ready. False when the program is to end; without a model the list is
/// all there is.
bool choose_and_load(ProgramState& state) {
  while (!state.console.exit_requested()) {
    const std::optional<std::size_t> chosen = show_models(state);
    if (chosen) {
      if (load_listed(state, *chosen)) return true;
      continue;
    }
    if (state.model.ready) return true;
    if (state.models.count == 0) {
      if (!offer_retry(state, "No model on the Memory Stick", "There is no model.bin to run.", copy_advice)) {
        return false;
      }
    } else if (!offer_retry(state, "No model is loaded", "A model has to be chosen before a story can begin.",
                            "Leave with HOME, or choose one.")) {
      return false;
    }
  }
  return false;
}

/// At the start: the model used last, the only one, or the person's choice.
bool load_first_model(ProgramState& state) {
  rescan_models(state);
  const std::size_t index = preferred_model(state.models, state.settings.model);
  const bool only_one = state.models.count == 1;
  const bool remembered = !state.settings.model.empty() && index < state.models.count &&
                          find_model(state.models, state.settings.model) == index;
  if (index < state.models.count && (only_one || remembered) && load_listed(state, index)) return true;
  return choose_and_load(state);
}

bool reload_model(ProgramState& state) {
  rescan_models(state);
  const std::size_t index = find_model(state.models, state.model.name);
  if (index < state.models.count && load_listed(state, index)) return true;
  return choose_and_load(state);
}

/// A setting that the loaded model does not follow yet.
bool follow_context_setting(ProgramState& state) {
  if (state.model.ready && state.model.wanted_context == state.settings.context) return true;
  return reload_model(state);
}

void use_history(ProgramState& state) {
  const std::optional<ChosenPrompt> chosen = show_history(state);
  if (!chosen) return;
  const std::string_view prompt = state.history.prompt(chosen->index);
  if (chosen->edit) {
    write_prompt(state, prompt);
  } else {
    use_prompt(state, prompt);
  }
}

/// False when the program is to end.
bool serve_menu(ProgramState& state) {
  switch (show_menu(state)) {
    case MenuChoice::back:
      break;
    case MenuChoice::go_on:
      continue_text(state);
      break;
    case MenuChoice::add_words:
      add_words(state);
      break;
    case MenuChoice::begin_anew:
      begin_anew(state);
      break;
    case MenuChoice::earlier_prompts:
      use_history(state);
      break;
    case MenuChoice::save_text:
      save_text(state);
      break;
    case MenuChoice::settings:
      show_settings(state);
      return follow_context_setting(state);
    case MenuChoice::memory:
      show_memory(state);
      break;
    case MenuChoice::models:
      return choose_and_load(state);
    case MenuChoice::benchmark:
      show_benchmark(state);
      return state.model.ready || reload_model(state);
    case MenuChoice::controls:
      show_controls(state);
      break;
    case MenuChoice::leave:
      return false;
  }
  return true;
}

void serve_person(ProgramState& state) {
  while (!state.console.exit_requested()) {
    switch (show_text(state)) {
      case TextAction::leave:
        return;
      case TextAction::new_prompt:
        write_prompt(state, {});
        break;
      case TextAction::go_on:
        continue_text(state);
        break;
      case TextAction::repeat_last:
        repeat_last(state);
        break;
      case TextAction::earlier_prompts:
        use_history(state);
        break;
      case TextAction::menu:
        if (!serve_menu(state)) return;
        break;
    }
  }
}

}  // namespace

void run_application(ProgramState& state) {
  load_saved_files(state);
  state.screen.set_theme(state.settings.colors);
  apply_clock(state);
  const TextBuffer<max_sentence_bytes> first_note = state.view.note;
  const bool skip_autorun = state.console.read_pad().held.has(Button::select);
  if (!skip_autorun && run_autorun(state)) return;
  if (!load_first_model(state)) return;
  if (state.view.note.empty()) set_note(state, first_note.view());
  mark<MarkerKind::ready>();
  serve_person(state);
}

}  // namespace pspllm::psp
