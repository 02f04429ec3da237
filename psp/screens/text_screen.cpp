#include "psp/screens/text_screen.hpp"

#include <algorithm>

#include "engine/core/slice.hpp"
#include "psp/platform/unicode.hpp"
#include "psp/program/interaction.hpp"
#include "psp/program/speed.hpp"
#include "psp/screens/frame.hpp"
#include "psp/screens/welcome.hpp"

namespace pspllm::psp {
namespace {

constexpr int text_row = 1;
constexpr int text_column = 1;
constexpr int status_row = text_rows - 2;
constexpr int scroll_bar_column = text_columns - 1;
constexpr int most_note_rows = 4;
constexpr std::uint64_t microseconds_per_second = 1'000'000;

/// The line below the text: what was last told, or why the text stopped.
std::string_view note_of(const ProgramState& state, bool busy) {
  if (!state.view.note.empty()) return state.view.note.view();
  if (state.session.stop_reason() == StopReason::failed) return state.session.failure().view();
  return busy ? std::string_view{} : describe(state.session.stop_reason(), state.session.is_chat());
}

/// Rows that the note takes: a line for every full width begun.
int note_rows(std::string_view note) {
  const int width = static_cast<int>(SpokenText::columns);
  return note.empty() ? 0 : std::min(most_note_rows, cells_of(note) / (width - 8) + 1);
}

std::size_t visible_rows(const ProgramState& state, bool busy) {
  return static_cast<std::size_t>(status_row - text_row - note_rows(note_of(state, busy)));
}

std::size_t last_top_line(const ProgramState& state, std::size_t rows) {
  const std::size_t lines = state.session.text().line_count();
  return lines > rows ? lines - rows : 0;
}

void draw_line(CellScreen& screen, const SpokenText& text, TextLine line, int row) {
  std::size_t segment = 0;
  std::size_t offset = line.begin;
  const int end_column = text_column + static_cast<int>(SpokenText::columns);
  for (int column = text_column; offset < line.end && column < end_column; ++column) {
    while (segment + 1 < text.segment_count() && offset >= text.segment(segment).end) ++segment;
    const InkId ink = text.segment(segment).speaker == Speaker::person ? InkId::person : InkId::model;
    const DecodedCodePoint character = decode_utf8(slice(text.bytes(), offset, line.end - offset));
    const bool is_control = character.code_point < U' ' && character.code_point != U'\t';
    const char32_t shown = character.code_point == U'\t' ? U' ' : character.code_point;
    screen.put(column, row, is_control ? replacement_character : shown, ink);
    offset += character.bytes;
  }
}

void draw_scroll_bar(CellScreen& screen, std::size_t top, std::size_t rows, std::size_t lines) {
  if (lines <= rows) return;
  const std::size_t length = std::max<std::size_t>(1, rows * rows / lines);
  const std::size_t begin = top * (rows - length) / (lines - rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const bool inside = i >= begin && i < begin + length;
    screen.put(scroll_bar_column, text_row + static_cast<int>(i), U' ', inside ? InkId::fill : InkId::empty);
  }
}

void draw_lines(ProgramState& state, bool busy) {
  const SpokenText& text = state.session.text();
  const std::size_t rows = visible_rows(state, busy);
  const std::size_t last_top = last_top_line(state, rows);
  if (state.view.follow) state.view.top_line = last_top;
  state.view.top_line = std::min(state.view.top_line, last_top);
  for (std::size_t i = 0; i < rows && state.view.top_line + i < text.line_count(); ++i) {
    draw_line(state.screen, text, text.line(state.view.top_line + i), text_row + static_cast<int>(i));
  }
  draw_scroll_bar(state.screen, state.view.top_line, rows, text.line_count());
}

TextBuffer<40> console_text(ProgramState& state) {
  TextBuffer<40> text;
  text.append_signed(state.console.clock().cpu).append(" MHz");
  const Battery battery = state.console.battery();
  if (battery.percent >= 0) {
    text.append("  ").append_signed(battery.percent).append('%');
    if (battery.charging) text.append('+');
    if (battery.low) text.append(" LOW");
  }
  const DateTime time = state.console.local_time();
  text.append("  ").append(time.hour < 10 ? "0" : "").append_signed(time.hour).append(':');
  return text.append(time.minute < 10 ? "0" : "").append_signed(time.minute);
}

/// Unused part of the program's block and what the system could still give.
std::uint64_t free_bytes(ProgramState& state) {
  const std::uint64_t used = state.model.ready ? state.model.engine.plan.total_bytes : 0;
  return state.block.size() - used + state.console.free_memory();
}

void draw_status(ProgramState& state) {
  const TextFigures figures = state.session.figures_now();
  CellScreen& screen = state.screen;
  screen.fill(0, status_row, text_columns, InkId::bar);
  TextBuffer<96> text;
  text.append_unsigned(figures.generated_tokens).append(" tok  pre ");
  text.append(prefill_rate(figures).view()).append("/s  dec ").append(decode_rate(figures).view());
  text.append("/s");
  screen.put_text(1, status_row, text.view(), InkId::bar);
  TextBuffer<64> right;
  right.append("ctx ").append_unsigned(state.session.context_used()).append('/');
  right.append_unsigned(state.session.context())
      .append("  free ")
      .append(short_bytes(free_bytes(state)).view());
  screen.put_text_right(text_columns - 1, status_row, right.view(), InkId::bar);
}

TextBuffer<80> idle_hints(ProgramState& state) {
  const bool chat = state.session.can_chat();
  TextBuffer<80> hints;
  hints.append(name_of(state.console.confirm_button())).append(chat ? " write  " : " prompt  ");
  if (chat ? state.session.can_continue() : state.session.can_add_text()) hints.append("SQUARE go on  ");
  if (state.history.size() != 0) hints.append("START again  ");
  return hints.append("TRIANGLE menu");
}

TextBuffer<80> busy_hints(const TextSession& session) {
  TextBuffer<80> hints;
  if (session.reading_prompt() || session.waiting_tokens() > 1) {
    hints.append(session.reading_prompt() ? "Reading" : "Reading again").append(", ");
    return hints.append_unsigned(session.waiting_tokens()).append(" tokens to go   CIRCLE stop");
  }
  return hints.append("Writing ...   CIRCLE stop   UP/DOWN scroll");
}

}  // namespace

void draw_text(ProgramState& state, bool busy) {
  CellScreen& screen = state.screen;
  screen.clear();
  TextBuffer<80> title("PspLlm  ");
  title.append(state.model.title.view());
  draw_title(screen, title.view(), console_text(state).view());
  if (state.session.empty() && !busy) {
    draw_welcome(state);
  } else {
    draw_lines(state, busy);
  }
  const std::string_view note = note_of(state, busy);
  const int rows = note_rows(note);
  screen.put_paragraph(text_column, status_row - rows, static_cast<int>(SpokenText::columns), rows, note,
                       InkId::dim);
  draw_status(state);
  draw_hints(screen, busy ? busy_hints(state.session).view() : idle_hints(state).view());
}

void refresh_text_while_busy(ProgramState& state) {
  TextView& view = state.view;
  const std::uint64_t now_us = state.console.now_us();
  const std::uint64_t second = now_us / microseconds_per_second;
  if (!view.dirty && second == view.drawn_second) return;
  if (!state.console.can_show_now()) return;
  draw_text(state, true);
  state.console.show_now(state.screen);
  view.dirty = false;
  view.drawn_second = second;
  view.drawing_us += state.console.now_us() - now_us;
}

void scroll_text(ProgramState& state, const PadEvents& events) {
  TextView& view = state.view;
  const std::size_t rows = visible_rows(state, false);
  const std::size_t last_top = last_top_line(state, rows);
  std::size_t top = std::min(view.top_line, last_top);
  if (events.repeated.has(Button::up)) top -= std::min<std::size_t>(top, 1);
  if (events.repeated.has(Button::down)) top += 1;
  if (events.repeated.has(Button::left_trigger)) top -= std::min(top, rows - 1);
  if (events.repeated.has(Button::right_trigger)) top += rows - 1;
  if (events.pressed.has(Button::left)) top = 0;
  if (events.pressed.has(Button::right)) top = last_top;
  top = std::min(top, last_top);
  if (top == view.top_line) return;
  view.top_line = top;
  view.follow = top == last_top;
  view.dirty = true;
}

TextAction show_text(ProgramState& state) {
  announce(state, state.session.can_chat() ? "chat" : "story");
  while (true) {
    draw_text(state, false);
    const std::optional<PadEvents> events = next_events(state);
    if (!events) return TextAction::leave;
    scroll_text(state, *events);
    if (events->pressed.any()) state.view.note.clear();
    if (events->pressed.has(state.console.confirm_button())) return TextAction::new_prompt;
    if (events->pressed.has(Button::square)) return TextAction::go_on;
    if (events->pressed.has(Button::start)) return TextAction::repeat_last;
    if (events->pressed.has(Button::select)) return TextAction::earlier_prompts;
    if (events->pressed.has(Button::triangle)) return TextAction::menu;
  }
}

}  // namespace pspllm::psp
