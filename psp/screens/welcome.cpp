#include "psp/screens/welcome.hpp"

#include <span>

#include "psp/program/interaction.hpp"
#include "psp/screens/frame.hpp"

namespace pspllm::psp {
namespace {

constexpr int button_column = 5;
constexpr int effect_column = 17;
constexpr int paragraph_columns = text_columns - 2 * button_column;
constexpr std::uint64_t bits_per_byte = 8;
constexpr std::uint64_t million = 1'000'000;

struct WelcomeLine {
  std::string_view button;
  std::string_view effect;
};

/// Returns the row behind the last.
int draw_lines(CellScreen& screen, int row, std::span<const WelcomeLine> lines) {
  for (const WelcomeLine& line : lines) {
    screen.put_text(button_column, row, line.button, InkId::person);
    screen.put_text(effect_column, row, line.effect, InkId::text);
    row += 2;
  }
  return row;
}

void draw_for_stories(ProgramState& state) {
  const WelcomeLine lines[] = {
      {name_of(state.console.confirm_button()), "write the beginning of a story"},
      {"START", "the last prompt once more"},
      {"SELECT", "earlier prompts"},
      {"TRIANGLE", "menu: settings, memory, models, controls"},
      {"CIRCLE", "stop while it writes"},
  };
  const int row = draw_lines(state.screen, 8, lines);
  state.screen.put_text(button_column, row + 1, "An empty prompt lets the model begin by itself.",
                        InkId::dim);
}

/// "95.7 million weights in 19.0 MB: 1.58 bits each."
TextBuffer<96> size_text(const LoadedModel& model) {
  const std::uint64_t weights = model.engine.config.parameter_count();
  TextBuffer<96> text;
  text.append_ratio(weights, million, 1).append(" million weights in ");
  text.append_ratio(model.file_bytes, million, 1).append(" MB: ");
  return text.append_ratio(model.file_bytes * bits_per_byte, weights, 2).append(" bits each.");
}

void draw_for_chats(ProgramState& state) {
  CellScreen& screen = state.screen;
  screen.put_text(button_column, 3, state.model.title.view(), InkId::model, paragraph_columns);
  screen.put_text(button_column, 4, size_text(state.model).view(), InkId::dim);
  screen.put_paragraph(
      button_column, 6, paragraph_columns, 3,
      "A small language model that runs on this console alone. Write to it and it answers; what it "
      "says may well be wrong.",
      InkId::text);
  const WelcomeLine lines[] = {
      {name_of(state.console.confirm_button()), "say something"},
      {"START", "the last words once more"},
      {"SELECT", "earlier words, as they were or changed"},
      {"TRIANGLE", "menu: new chat, save, settings, models"},
      {"CIRCLE", "stop an answer at once"},
  };
  const int row = draw_lines(screen, 11, lines);
  const std::string_view told = system_prompt(state.settings).value_or(state.session.default_system());
  TextBuffer<max_sentence_bytes> text(told.empty() ? "It has no system prompt (settings)."
                                                   : "System prompt (settings): ");
  screen.put_paragraph(button_column, row + 1, paragraph_columns, 6, text.append(told).view(), InkId::dim);
}

}  // namespace

void draw_welcome(ProgramState& state) {
  if (state.session.can_chat()) {
    draw_for_chats(state);
  } else {
    draw_for_stories(state);
  }
}

}  // namespace pspllm::psp
