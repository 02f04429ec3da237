#include "psp/screens/controls_screen.hpp"

#include "psp/program/interaction.hpp"
#include "psp/screens/frame.hpp"

namespace pspllm::psp {
namespace {

struct ControlLine {
  std::string_view button;  ///< Empty: the console's confirm button.
  std::string_view effect;
  std::string_view in_chat = {};  ///< Where it differs with a model that answers.
};

constexpr ControlLine lines[] = {
    {"", "write a prompt: the beginning of a story", "say something"},
    {"CIRCLE", "stop while the model reads or writes"},
    {"SQUARE", "go on; add words where the story has ended", "finish an answer that was stopped"},
    {"TRIANGLE", "menu"},
    {"START", "the last prompt once more", "another answer to your last words"},
    {"SELECT", "earlier prompts, to use or to change"},
    {"UP, DOWN", "scroll by a line, also while it writes"},
    {"L, R", "scroll by a screen"},
    {"LEFT", "to the very beginning"},
    {"RIGHT", "to the end, and follow the text again"},
    {"HOME", "leave, at any moment"},
};

constexpr int column = 3;
constexpr int effect_column = 15;

void draw_controls(ProgramState& state, std::string_view hints) {
  CellScreen& screen = state.screen;
  screen.clear();
  draw_title(screen, "Controls", "");
  int row = 3;
  for (const ControlLine& line : lines) {
    const std::string_view effect =
        state.session.can_chat() && !line.in_chat.empty() ? line.in_chat : line.effect;
    screen.put_text(column, row, line.button.empty() ? name_of(state.console.confirm_button()) : line.button,
                    InkId::person);
    screen.put_text(effect_column, row, effect, InkId::text);
    row += 2;
  }
  screen.put_text(column, row + 1, "The keyboard shows its own keys on the screen.", InkId::dim);
  draw_hints(screen, hints);
}

}  // namespace

void show_controls(ProgramState& state) {
  announce(state, "controls");
  const Button confirm = state.console.confirm_button();
  const Button cancel = state.console.cancel_button();
  TextBuffer<32> hints;
  hints.append(name_of(cancel)).append(" back");
  while (true) {
    draw_controls(state, hints.view());
    const std::optional<PadEvents> events = next_events(state);
    if (!events || events->pressed.has(cancel) || events->pressed.has(confirm)) return;
  }
}

}  // namespace pspllm::psp
