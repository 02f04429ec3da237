#include "psp/screens/menu_screen.hpp"

#include "psp/program/interaction.hpp"
#include "psp/screens/benchmark_screen.hpp"
#include "psp/screens/frame.hpp"
#include "psp/screens/list_view.hpp"

namespace pspllm::psp {
namespace {

struct MenuWords {
  std::string_view label;
  std::string_view explanation;
};

struct MenuItem {
  MenuChoice choice;
  MenuWords words;
  MenuWords for_chat = {};  ///< Where they differ.

  [[nodiscard]] const MenuWords& words_for(const ProgramState& state) const {
    return state.session.can_chat() && !for_chat.label.empty() ? for_chat : words;
  }
};

constexpr MenuItem items[] = {
    {MenuChoice::go_on,
     {"Go on", "Lets the model write on from where it stopped."},
     {"Go on", "Lets the model finish an answer that was stopped."}},
    {MenuChoice::add_words,
     {"Add words and go on", "Opens the keyboard: your words follow the story's end."},
     {"Say something", "Opens the keyboard, as on the chat itself."}},
    {MenuChoice::begin_anew,
     {"New story", "Opens the keyboard for the beginning of another story."},
     {"New chat", "Forgets this one: save it first if you want to keep it."}},
    {MenuChoice::earlier_prompts, {"Earlier prompts", "To use one again, as it is or changed."}},
    {MenuChoice::save_text,
     {"Save this story", "As a text file in the folder stories."},
     {"Save this chat", "As a text file in the folder chats."}},
    {MenuChoice::settings,
     {"Settings", "Temperature, seed, length, context, clock, colours."},
     {"Settings", "System prompt, temperature, seed, length, context, ..."}},
    {MenuChoice::memory, {"Memory", "Where every byte goes."}},
    {MenuChoice::models, {"Models", "What is on the Memory Stick, and what fits."}},
    {MenuChoice::benchmark, {"Benchmark", "Measures this console, for the simulator on a PC."}},
    {MenuChoice::controls, {"Controls", "What each button does."}},
    {MenuChoice::leave, {"Leave", "Back to the console's own menu. HOME does the same."}},
};
constexpr std::size_t item_count = sizeof items / sizeof items[0];
constexpr int column = 4;

bool enabled(const ProgramState& state, MenuChoice choice) {
  switch (choice) {
    case MenuChoice::go_on:
      return state.session.can_continue();
    case MenuChoice::add_words:
      return state.session.can_add_text() || (state.session.can_chat() && state.session.empty());
    case MenuChoice::begin_anew:
      return !state.session.can_chat() || !state.session.empty();
    case MenuChoice::save_text:
      return !state.session.empty();
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
    screen.put_text(column, row, items[i].words_for(state).label, is_selected ? InkId::selected : plain);
  }
  const MenuItem& chosen = items[list.selected()];
  screen.put_text(column, 5 + 2 * static_cast<int>(item_count) + 1,
                  enabled(state, chosen.choice) ? chosen.words_for(state).explanation
                                                : "There is nothing to do this with now.",
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
