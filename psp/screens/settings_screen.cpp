#include "psp/screens/settings_screen.hpp"

#include <algorithm>

#include "psp/program/interaction.hpp"
#include "psp/program/saved_files.hpp"
#include "psp/screens/frame.hpp"
#include "psp/screens/list_view.hpp"

namespace pspllm::psp {
namespace {

constexpr int column = 4;
constexpr int value_column = 24;
constexpr int value_columns = 30;
constexpr int first_row = 4;
constexpr int explanation_row = 23;
constexpr std::uint32_t hundred = 100;

using ValueText = TextBuffer<40>;

/// One line: how it reads, and what a step to the left (-1) or right (+1) does; `fast` for L and R. What is
/// written rather than stepped through has `edit`, for the confirm button.
struct SettingItem {
  std::string_view label;
  std::string_view explanation;
  ValueText (*value)(const ProgramState& state);
  void (*step)(ProgramState& state, int direction, bool fast);
  void (*edit)(ProgramState& state) = nullptr;
};

/// `value` moved by `size` and kept within the limits.
std::uint32_t stepped(std::uint32_t value, int direction, std::uint32_t size, std::uint32_t least,
                      std::uint32_t most) {
  if (direction < 0) return value - least < size ? least : value - size;
  return most - value < size ? most : value + size;
}

ValueText hundredths(std::uint32_t value) {
  ValueText text;
  return text.append_ratio(value, hundred, 2);
}

ValueText or_words(std::uint32_t value, std::string_view words_for_zero) {
  ValueText text;
  return value == 0 ? text.append(words_for_zero) : text.append_unsigned(value);
}

/// Lengths and contexts: 0, then doubling from 16.
std::uint32_t doubled(std::uint32_t value, int direction, std::uint32_t most) {
  constexpr std::uint32_t least = 16;
  if (direction > 0) return value == 0 ? std::min(least, most) : std::min(value * 2, most);
  return value <= least ? 0 : value / 2;
}

std::uint32_t own_context(const ProgramState& state) {
  return state.model.ready ? state.model.engine.config.seq_len : max_length_tokens;
}

ValueText system_prompt_value(const ProgramState& state) {
  const std::optional<SystemPrompt>& own = state.settings.system_prompt;
  if (!own) return ValueText("the model's own");
  if (own->empty()) return ValueText("none");
  return ValueText(own->view());
}

void write_system_prompt(ProgramState& state) {
  const std::string_view now = system_prompt(state.settings).value_or(state.session.default_system());
  const std::optional<std::string_view> typed = ask_person(state, "System prompt; empty: none", now);
  if (!typed || *typed == now) return;
  state.settings.system_prompt = SystemPrompt(*typed);
  if (state.settings.system_prompt->truncated()) set_note(state, "The system prompt was cut to 512 bytes.");
}

constexpr SettingItem items[] = {
    {"Temperature", "How freely words are chosen. 0: always the likeliest.",
     [](const ProgramState& state) { return hundredths(state.settings.temperature_hundredths); },
     [](ProgramState& state, int direction, bool fast) {
       std::uint32_t& value = state.settings.temperature_hundredths;
       value = stepped(value, direction, fast ? 25 : 5, 0, max_temperature_hundredths);
     }},
    {"Top-p", "Only the likeliest words that together reach this share. 1: all.",
     [](const ProgramState& state) { return hundredths(state.settings.top_p_hundredths); },
     [](ProgramState& state, int direction, bool fast) {
       std::uint32_t& value = state.settings.top_p_hundredths;
       value = stepped(value, direction, fast ? 20 : 5, 0, max_top_p_hundredths);
     }},
    {"Repeat penalty", "Makes words of the last 64 less likely. 1: off.",
     [](const ProgramState& state) {
       const std::uint32_t value = state.settings.repeat_penalty_hundredths;
       return value == hundred ? ValueText("off") : hundredths(value);
     },
     [](ProgramState& state, int direction, bool fast) {
       std::uint32_t& value = state.settings.repeat_penalty_hundredths;
       value = stepped(value, direction, fast ? 20 : 5, min_repeat_penalty_hundredths,
                       max_repeat_penalty_hundredths);
     }},
    {"Seed", "The same seed and prompt give the same story. L and R: by 100.",
     [](const ProgramState& state) { return or_words(state.settings.seed, "another each time"); },
     [](ProgramState& state, int direction, bool fast) {
       state.settings.seed = stepped(state.settings.seed, direction, fast ? 100 : 1, 0, max_seed);
     }},
    {"Length", "Tokens to write in one go.",
     [](const ProgramState& state) {
       return or_words(state.settings.length,
                       state.session.can_chat() ? "until the answer ends" : "until the context is full");
     },
     [](ProgramState& state, int direction, bool) {
       state.settings.length = doubled(state.settings.length, direction, own_context(state));
     }},
    {"Context", "Tokens the model can look back on. A change loads the model again and begins anew.",
     [](const ProgramState& state) { return or_words(state.settings.context, "the model's own"); },
     [](ProgramState& state, int direction, bool) {
       state.settings.context = doubled(state.settings.context, direction, own_context(state));
     }},
    {"Clock", "Faster, or longer on one charge.",
     [](const ProgramState& state) {
       const ClockSpeed clock = clock_choices[state.settings.clock_choice];
       ValueText text;
       return text.append_signed(clock.cpu).append('/').append_signed(clock.bus).append(" MHz");
     },
     [](ProgramState& state, int direction, bool) {
       state.settings.clock_choice =
           stepped(state.settings.clock_choice, direction, 1, 0, clock_choice_count - 1);
       apply_clock(state);
     }},
    {"Colours", "Of every screen.",
     [](const ProgramState& state) { return ValueText(name_of(state.settings.colors)); },
     [](ProgramState& state, int direction, bool) {
       const auto theme = static_cast<std::uint32_t>(state.settings.colors);
       const std::uint32_t next = theme + (direction > 0 ? 1 : color_theme_count - 1);
       state.settings.colors = static_cast<ColorTheme>(next % color_theme_count);
       state.screen.set_theme(state.settings.colors);
     }},
    {"System prompt",
     "What a model is told before a chat, for chats that begin from now on. The confirm button opens the "
     "keyboard; LEFT takes the model's own.",
     system_prompt_value, [](ProgramState& state, int, bool) { state.settings.system_prompt.reset(); },
     write_system_prompt},
};
constexpr std::size_t all_items = sizeof items / sizeof items[0];

/// The last one is for chats.
std::size_t item_count(const ProgramState& state) {
  return state.session.can_chat() ? all_items : all_items - 1;
}

void draw_settings(ProgramState& state, const ListView& list, std::string_view hints) {
  CellScreen& screen = state.screen;
  screen.clear();
  draw_title(screen, "Settings", "saved in settings.txt");
  for (std::size_t i = 0; i < list.count(); ++i) {
    const int row = first_row + 2 * static_cast<int>(i);
    const bool is_selected = i == list.selected();
    if (is_selected) screen.fill(column - 1, row, text_columns - 2 * (column - 1), InkId::selected);
    const InkId ink = is_selected ? InkId::selected : InkId::text;
    screen.put_text(column, row, items[i].label, ink);
    if (is_selected) screen.put_text(value_column - 2, row, "<", ink);
    const int end = screen.put_text(value_column, row, items[i].value(state).view(), ink, value_columns);
    if (is_selected) screen.put_text(end + 1, row, ">", ink);
  }
  screen.put_paragraph(column, explanation_row, text_columns - 2 * column, last_content_row - explanation_row,
                       items[list.selected()].explanation, InkId::dim);
  draw_hints(screen, hints);
}

}  // namespace

void show_settings(ProgramState& state) {
  announce(state, "settings");
  const SettingsText before = format_settings(state.settings);
  const Button cancel = state.console.cancel_button();
  const Button confirm = state.console.confirm_button();
  TextBuffer<64> hints;
  hints.append("LEFT/RIGHT change   L/R faster   ").append(name_of(cancel)).append(" back");
  ListView list(item_count(state), all_items);
  while (true) {
    draw_settings(state, list, hints.view());
    const std::optional<PadEvents> events = next_events(state);
    if (!events || events->pressed.has(cancel)) break;
    if (events->pressed.has(confirm)) {
      if (items[list.selected()].edit == nullptr) break;
      items[list.selected()].edit(state);
      continue;
    }
    const auto pressed = [&](Button button) { return events->repeated.has(button); };
    const SettingItem& item = items[list.selected()];
    if (pressed(Button::left)) item.step(state, -1, false);
    if (pressed(Button::right)) item.step(state, 1, false);
    if (pressed(Button::left_trigger)) item.step(state, -1, true);
    if (pressed(Button::right_trigger)) item.step(state, 1, true);
    PadEvents moves = *events;
    constexpr auto triggers =
        static_cast<std::uint32_t>(Button::left_trigger) | static_cast<std::uint32_t>(Button::right_trigger);
    moves.repeated.bits &= ~triggers;
    list.handle(moves);
  }
  if (format_settings(state.settings).view() != before.view()) save_settings(state);
}

}  // namespace pspllm::psp
