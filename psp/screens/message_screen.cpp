#include "psp/screens/message_screen.hpp"

#include "psp/program/interaction.hpp"
#include "psp/screens/frame.hpp"

namespace pspllm::psp {
namespace {

constexpr int margin = 3;
constexpr int columns = text_columns - 2 * margin;
constexpr int most_sentence_rows = 10;
constexpr int most_advice_rows = 12;
constexpr std::uint64_t microseconds_per_second = 1'000'000;

}  // namespace

void draw_message(CellScreen& screen, const ScreenMessage& message, std::string_view hints) {
  screen.clear();
  draw_title(screen, "PspLlm", "");
  int row = 5;
  screen.put_text(margin, row, message.title, message.is_error ? InkId::warning : InkId::person, columns);
  row = screen.put_paragraph(margin, row + 2, columns, most_sentence_rows, message.sentence, InkId::text);
  screen.put_paragraph(margin, row + 1, columns, most_advice_rows, message.advice, InkId::dim);
  draw_hints(screen, hints);
}

bool show_message(ProgramState& state, const ScreenMessage& message, std::string_view confirm_means,
                  std::uint32_t most_seconds) {
  const Button confirm = state.console.confirm_button();
  const Button cancel = state.console.cancel_button();
  TextBuffer<64> hints;
  hints.append(name_of(confirm)).append(' ').append(confirm_means);
  if (!message.is_error) hints.append("   ").append(name_of(state.console.cancel_button())).append(" back");
  hints.append("   HOME leave");
  const std::uint64_t end_us = state.console.now_us() + most_seconds * microseconds_per_second;
  state.console.log(message.sentence);
  announce(state, "message");
  drop_presses(state);
  while (most_seconds == 0 || state.console.now_us() < end_us) {
    draw_message(state.screen, message, hints.view());
    const std::optional<PadEvents> events = next_events(state);
    if (!events || events->pressed.has(cancel)) return false;
    if (events->pressed.has(confirm)) return true;
  }
  return false;
}

}  // namespace pspllm::psp
