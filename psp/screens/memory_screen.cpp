#include "psp/screens/memory_screen.hpp"

#include "psp/program/interaction.hpp"
#include "psp/program/speed.hpp"
#include "psp/screens/frame.hpp"
#include "psp/screens/list_view.hpp"

namespace pspllm::psp {
namespace {

constexpr int column = 2;
constexpr int chart_row = 2;
constexpr int chart_rows = 4;
constexpr int chart_columns = text_columns - 2 * column;
constexpr int list_row = chart_row + chart_rows + 1;
constexpr int bytes_end_column = 42;
constexpr InkId region_inks[] = {InkId::fill, InkId::fill_2, InkId::fill_3, InkId::fill_4};
constexpr std::size_t region_ink_count = sizeof region_inks / sizeof region_inks[0];

/// What one line tells of.
struct MemoryLine {
  InkId key = InkId::empty;
  std::string_view name;
  std::string_view explanation;
  std::uint64_t bytes = 0;
};

constexpr std::size_t other_lines = 3;
constexpr std::size_t line_count = region_count + other_lines;

InkId ink_of_region(std::size_t index) {
  return region_inks[index % region_ink_count];
}

MemoryLine line_of(ProgramState& state, std::size_t index) {
  if (index < region_count) {
    if (!state.model.ready)
      return {InkId::empty, name_of(static_cast<RegionId>(index)), "no model is loaded", 0};
    const Region& region = state.model.engine.plan.regions[index];
    return {ink_of_region(index), name_of(region.id), describe(region.id), region.bytes};
  }
  const std::uint64_t used = state.model.ready ? state.model.engine.plan.total_bytes : 0;
  if (index == region_count) {
    return {InkId::empty, "unused", "left of the block, for a larger model", state.block.size() - used};
  }
  if (index == region_count + 1) {
    return {InkId::bar, "program", "code, data and stacks; there is no heap", state.memory.program_bytes};
  }
  return {InkId::bar, "system", "what the console could still give", state.console.free_memory()};
}

/// The block as a bar of chart_rows x chart_columns cells, filled column by column.
void draw_chart(ProgramState& state) {
  constexpr int cells = chart_rows * chart_columns;
  for (int cell = 0; cell < cells; ++cell) {
    const std::uint64_t byte = std::uint64_t{state.block.size()} * static_cast<unsigned>(cell) / cells;
    InkId ink = InkId::empty;
    for (std::size_t i = 0; state.model.ready && i < region_count; ++i) {
      const Region& region = state.model.engine.plan.regions[i];
      if (byte >= region.offset && byte < region.offset + region.bytes) ink = ink_of_region(i);
    }
    state.screen.put(column + cell / chart_rows, chart_row + cell % chart_rows, U' ', ink);
  }
}

void draw_memory_line(ProgramState& state, std::size_t index, bool is_selected) {
  CellScreen& screen = state.screen;
  const MemoryLine line = line_of(state, index);
  // The block's regions, then a gap, then what lies outside of it.
  const int row = list_row + static_cast<int>(index) + (index > region_count ? 1 : 0);
  const InkId ink = is_selected ? InkId::selected : InkId::text;
  if (is_selected) screen.fill(column + 3, row, chart_columns - 3, InkId::selected);
  screen.fill(column, row, 2, line.key);
  screen.put_text(column + 4, row, line.name, ink);
  screen.put_text_right(bytes_end_column, row, grouped_digits(line.bytes).view(), ink);
  if (index > region_count) return;
  TextBuffer<16> share;
  share.append_ratio(line.bytes * 100, state.block.size(), 1).append(" %");
  screen.put_text_right(text_columns - column - 1, row, share.view(), ink);
}

void draw_memory(ProgramState& state, const ListView& list, std::string_view hints) {
  CellScreen& screen = state.screen;
  screen.clear();
  TextBuffer<64> right;
  right.append("one block of ").append(grouped_digits(state.block.size()).view()).append(" bytes");
  draw_title(screen, "Memory", right.view());
  draw_chart(state);
  for (std::size_t i = 0; i < line_count; ++i) draw_memory_line(state, i, i == list.selected());
  const int row = list_row + static_cast<int>(line_count) + 2;
  screen.put_paragraph(column, row, chart_columns, 2, line_of(state, list.selected()).explanation,
                       InkId::dim);
  if (state.model.ready) {
    TextBuffer<120> plan;
    plan.append("The plan takes ").append(grouped_digits(state.model.engine.plan.total_bytes).view());
    plan.append(" bytes, with a context of ").append_unsigned(state.model.fit.context);
    plan.append(" of the model's ").append_unsigned(state.model.engine.config.seq_len).append(" tokens.");
    screen.put_paragraph(column, row + 3, chart_columns, 2, plan.view(), InkId::text);
  }
  draw_hints(screen, hints);
}

}  // namespace

void show_memory(ProgramState& state) {
  announce(state, "memory");
  const Button confirm = state.console.confirm_button();
  const Button cancel = state.console.cancel_button();
  TextBuffer<64> hints;
  hints.append("UP/DOWN what is what   ").append(name_of(cancel)).append(" back");
  ListView list(line_count, line_count);
  while (true) {
    draw_memory(state, list, hints.view());
    const std::optional<PadEvents> events = next_events(state);
    if (!events || events->pressed.has(cancel) || events->pressed.has(confirm)) return;
    list.handle(*events);
  }
}

}  // namespace pspllm::psp
