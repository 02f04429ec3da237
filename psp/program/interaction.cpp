#include "psp/program/interaction.hpp"

#include "psp/screens/frame.hpp"

namespace pspllm::psp {

std::optional<PadEvents> next_events(ProgramState& state) {
  state.console.show(state.screen);
  notice_wake(state);
  if (state.console.exit_requested()) return std::nullopt;
  return state.pad.update(state.console.read_pad());
}

void announce(ProgramState& state, std::string_view screen_name) {
  TextBuffer<64> line("screen: ");
  state.console.log(line.append(screen_name).view());
}

void notice_wake(ProgramState& state) {
  const std::uint32_t wakes = state.console.power_events().wakes;
  if (wakes == state.seen_wakes) return;
  state.seen_wakes = wakes;
  apply_clock(state);
  state.screen.forget_buffers();
  state.view.dirty = true;
}

void drop_presses(ProgramState& state) {
  static_cast<void>(state.pad.update(state.console.read_pad()));
}

std::optional<std::string_view> ask_person(ProgramState& state, std::string_view title,
                                           std::string_view initial) {
  // The keyboard is transparent: an empty page lies behind it.
  state.screen.clear();
  draw_title(state.screen, "PspLlm", "");
  announce(state, "keyboard");
  const TypedText typed = state.console.ask_for_text(title, initial, state.screen, state.typed_text);
  state.screen.forget_buffers();
  state.view.dirty = true;
  drop_presses(state);
  if (typed.outcome == TypedOutcome::failed) note_failure(state, typed.status);
  if (typed.outcome != TypedOutcome::confirmed) return std::nullopt;
  return std::string_view(state.typed_text.data(), typed.bytes);
}

std::string_view name_of(Button button) {
  switch (button) {
    case Button::select:
      return "SELECT";
    case Button::start:
      return "START";
    case Button::up:
      return "UP";
    case Button::right:
      return "RIGHT";
    case Button::down:
      return "DOWN";
    case Button::left:
      return "LEFT";
    case Button::left_trigger:
      return "L";
    case Button::right_trigger:
      return "R";
    case Button::triangle:
      return "TRIANGLE";
    case Button::circle:
      return "CIRCLE";
    case Button::cross:
      return "CROSS";
    case Button::square:
      return "SQUARE";
  }
  return "";
}

void apply_clock(ProgramState& state) {
  note_failure(state, state.console.set_clock(clock_choices[state.settings.clock_choice]));
}

void set_note(ProgramState& state, std::string_view note) {
  state.view.note.clear();
  state.view.note.append(note);
  state.view.dirty = true;
}

void note_failure(ProgramState& state, const Status& status) {
  if (!status.ok()) set_note(state, status.sentence.view());
}

}  // namespace pspllm::psp
