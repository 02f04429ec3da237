#include "psp/screens/history_screen.hpp"

#include "psp/program/interaction.hpp"
#include "psp/screens/frame.hpp"
#include "psp/screens/list_view.hpp"

namespace pspllm::psp {
namespace {

constexpr int column = 3;
constexpr int columns = text_columns - 2 * column;
constexpr int first_row = 3;
constexpr int preview_row = first_row + static_cast<int>(max_remembered_prompts) + 2;

void draw_history(ProgramState& state, const ListView& list, std::string_view hints) {
  CellScreen& screen = state.screen;
  screen.clear();
  draw_title(screen, "Earlier prompts", "");
  for (std::size_t i = list.first_visible(); i < list.end_visible(); ++i) {
    const int row = first_row + static_cast<int>(i - list.first_visible());
    const bool is_selected = i == list.selected();
    const std::string_view prompt = state.history.prompt(i);
    if (is_selected) screen.fill(column - 1, row, columns + 2, InkId::selected);
    const InkId ink = is_selected ? InkId::selected : InkId::text;
    screen.put_text(column, row, prompt.empty() ? "(empty: the model begins by itself)" : prompt, ink,
                    columns);
  }
  screen.put_paragraph(column, preview_row, columns, last_content_row - preview_row,
                       state.history.prompt(list.selected()), InkId::person);
  draw_hints(screen, hints);
}

}  // namespace

std::optional<ChosenPrompt> show_history(ProgramState& state) {
  announce(state, "history");
  const Button confirm = state.console.confirm_button();
  const Button cancel = state.console.cancel_button();
  TextBuffer<64> hints;
  hints.append(name_of(confirm))
      .append(" use   SQUARE change first   ")
      .append(name_of(cancel))
      .append(" back");
  ListView list(state.history.size(), max_remembered_prompts);
  while (list.count() != 0) {
    draw_history(state, list, hints.view());
    const std::optional<PadEvents> events = next_events(state);
    if (!events || events->pressed.has(cancel)) return std::nullopt;
    list.handle(*events);
    if (events->pressed.has(confirm)) return ChosenPrompt{list.selected(), false};
    if (events->pressed.has(Button::square)) return ChosenPrompt{list.selected(), true};
  }
  return std::nullopt;
}

}  // namespace pspllm::psp
