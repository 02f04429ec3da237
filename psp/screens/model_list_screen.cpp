#include "psp/screens/model_list_screen.hpp"

#include "psp/program/interaction.hpp"
#include "psp/program/speed.hpp"
#include "psp/screens/frame.hpp"
#include "psp/screens/list_view.hpp"
#include "psp/screens/message_screen.hpp"

namespace pspllm::psp {
namespace {

constexpr int rows_per_model = 3;
constexpr int first_row = 3;
constexpr std::size_t visible_models =
    static_cast<std::size_t>(last_content_row - first_row) / rows_per_model;
constexpr int column = 3;
constexpr std::uint64_t bits_per_byte = 8;

TextBuffer<120> facts_of(const ModelEntry& entry) {
  TextBuffer<120> text;
  text.append(short_bytes(entry.file_bytes).view()).append('B');
  if (!entry.usable_file) return text;
  text.append(", ").append_ratio(entry.file_bytes * bits_per_byte, entry.parameters, 2);
  text.append(" bits a weight, context ").append_unsigned(entry.own_context);
  return text;
}

void draw_models(ProgramState& state, const ListView& list, std::string_view hints) {
  CellScreen& screen = state.screen;
  screen.clear();
  TextBuffer<40> memory;
  memory.append(short_bytes(state.block.size()).view()).append("B for a model");
  draw_title(screen, "Models on the Memory Stick", memory.view());
  int row = first_row;
  for (std::size_t i = list.first_visible(); i < list.end_visible(); ++i, row += rows_per_model) {
    const ModelEntry& entry = state.models.entries[i];
    const bool is_selected = i == list.selected();
    if (is_selected) screen.fill(column - 1, row, text_columns - 2 * (column - 1), InkId::selected);
    const InkId ink = is_selected ? InkId::selected : runnable(entry) ? InkId::text : InkId::disabled;
    screen.put_text(column, row, entry.title.view(), ink, 32);
    screen.put_text_right(text_columns - column, row, fit_label(entry).view(), ink);
    screen.put_text(column, row + 1, facts_of(entry).view(), InkId::dim);
  }
  if (state.models.left_out != 0) {
    TextBuffer<64> more;
    more.append_unsigned(state.models.left_out).append(" more folders are not shown.");
    screen.put_text(column, last_content_row, more.view(), InkId::warning);
  }
  draw_hints(screen, hints);
}

void tell_why_not(ProgramState& state, const ModelEntry& entry) {
  TextBuffer<max_sentence_bytes> sentence;
  if (entry.usable_file) {
    sentence.append("It needs ").append(short_bytes(entry.fit.needed_bytes).view());
    sentence.append("B of memory with a short context; this console has ");
    sentence.append(short_bytes(state.block.size()).view()).append("B for it.");
  } else {
    sentence.append(entry.problem.view());
  }
  const std::string_view advice =
      entry.fit.fit == Fit::needs_64_mb && entry.usable_file
          ? "It runs on a console with 64 MB: PSP-2000, PSP-3000, PSP Go."
          : "Choose another model, or put a right one on the stick with pspllm pack.";
  TextBuffer<96> title(entry.title.view());
  title.append(" cannot run here");
  show_message(state, {title.view(), sentence.view(), advice}, "back");
}

}  // namespace

void rescan_models(ProgramState& state) {
  ScanRequest request;
  request.program_folder = state.folder;
  request.wanted_context = state.settings.context;
  request.block_bytes = state.block.size();
  request.kernels = &state.kernels;
  request.scratch = &state.scan_scratch;
  scan_models(state.stick, request, state.models);
}

std::optional<std::size_t> show_models(ProgramState& state) {
  announce(state, "models");
  rescan_models(state);
  const Button confirm = state.console.confirm_button();
  const Button cancel = state.console.cancel_button();
  TextBuffer<64> hints;
  hints.append(name_of(confirm)).append(" load   ").append(name_of(cancel)).append(" back   HOME leave");
  const std::size_t current = find_model(state.models, state.settings.model);
  ListView list(state.models.count, visible_models, current < state.models.count ? current : 0);
  while (state.models.count != 0) {
    draw_models(state, list, hints.view());
    const std::optional<PadEvents> events = next_events(state);
    if (!events || events->pressed.has(cancel)) return std::nullopt;
    list.handle(*events);
    if (!events->pressed.has(confirm)) continue;
    const ModelEntry& entry = state.models.entries[list.selected()];
    if (runnable(entry)) return list.selected();
    tell_why_not(state, entry);
  }
  return std::nullopt;
}

}  // namespace pspllm::psp
