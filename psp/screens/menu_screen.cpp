#include "psp/screens/menu_screen.hpp"

#include "psp/program/interaction.hpp"
#include "psp/screens/benchmark_screen.hpp"
#include "psp/screens/frame.hpp"
#include "psp/screens/list_view.hpp"

namespace pspllm::psp {
namespace {

struct MenuItem {
  MenuChoice choice;
  std::string_view label;
  std::string_view explanation;
};

constexpr MenuItem items[] = {
    {MenuChoice::go_on, "Go on", "Lets the model write on from where it stopped."},
    {MenuChoice::add_words, "Add words and go on", "Opens the keyboard: your words follow the story's end."},
    {MenuChoice::new_prompt, "New story", "Opens the keyboard for the beginning of another story."},
    {MenuChoice::earlier_prompts, "Earlier prompts", "To use one again, as it is or changed."},
    {MenuChoice::save_story, "Save this story", "As a text file in the folder stories."},
    {MenuChoice::settings, "Settings", "Temperature, seed, length, context, clock, colours."},
    {MenuChoice::memory, "Memory", "Where every byte goes."},
    {MenuChoice::models, "Models", "What is on the Memory Stick, and what fits."},
    {MenuChoice::benchmark, "Benchmark", "Measures this console, for the simulator on a PC."},
    {MenuChoice::controls, "Controls", "What each button does."},
    {MenuChoice::leave, "Leave", "Back to the console's own menu. HOME does the same."},
};
constexpr std::size_t item_count = sizeof items / sizeof items[0];
constexpr int column = 4;

bool enabled(const ProgramState& state, MenuChoice choice) {
  switch (choice) {
    case MenuChoice::go_on:
      return state.story.can_continue();
    case MenuChoice::add_words:
      return state.story.can_add_text();
    case MenuChoice::save_story:
      return !state.story.empty();
    case MenuChoice::earlier_prompts:
      return state.history.size() != 0;
    case MenuChoice::benchmark:
      return can_benchmark(state);
    default:
      return true;
  }
}

void draw_menu(ProgramState& state, const ListView& list, std::string_view hints) {
  CellScreen& screen = state.screen;
  screen.clear();
  draw_title(screen, "Menu", "");
  for (std::size_t i = 0; i < item_count; ++i) {
    const int row = 5 + 2 * static_cast<int>(i);
    const bool is_selected = i == list.selected();
    const InkId plain = enabled(state, items[i].choice) ? InkId::text : InkId::disabled;
    if (is_selected) screen.fill(column - 1, row, 24, InkId::selected);
    screen.put_text(column, row, items[i].label, is_selected ? InkId::selected : plain);
  }
  const MenuItem& chosen = items[list.selected()];
  screen.put_text(
      column, 5 + 2 * static_cast<int>(item_count) + 1,
      enabled(state, chosen.choice) ? chosen.explanation : "There is nothing to do this with now.",
      InkId::dim);
  draw_hints(screen, hints);
}

}  // namespace

MenuChoice show_menu(ProgramState& state) {
  announce(state, "menu");
  const Button confirm = state.console.confirm_button();
  const Button cancel = state.console.cancel_button();
  TextBuffer<64> hints;
  hints.append(name_of(confirm)).append(" choose   ").append(name_of(cancel)).append(" back");
  ListView list(item_count, item_count);
  while (!enabled(state, items[list.selected()].choice))
    list = ListView(item_count, item_count, list.selected() + 1);
  while (true) {
    draw_menu(state, list, hints.view());
    const std::optional<PadEvents> events = next_events(state);
    if (!events) return MenuChoice::leave;
    if (events->pressed.has(cancel) || events->pressed.has(Button::triangle)) return MenuChoice::back;
    list.handle(*events);
    const MenuChoice choice = items[list.selected()].choice;
    if (events->pressed.has(confirm) && enabled(state, choice)) return choice;
  }
}

}  // namespace pspllm::psp
