#include "psp/screens/memory_screen.hpp"

#include <algorithm>

#include "psp/program/interaction.hpp"
#include "psp/program/speed.hpp"
#include "psp/screens/frame.hpp"

namespace pspllm::psp {
namespace {

constexpr int column = 2;
constexpr int chart_row = 3;
constexpr int chart_rows = 4;
constexpr int chart_columns = text_columns - 2 * column;
constexpr int list_row = chart_row + chart_rows + 2;
constexpr InkId region_inks[] = {InkId::fill, InkId::fill_2, InkId::fill_3, InkId::fill_4};
constexpr std::size_t region_ink_count = sizeof region_inks / sizeof region_inks[0];

InkId ink_of_region(std::size_t index) {
  return region_inks[index % region_ink_count];
}

/// The block as a bar of chart_rows x chart_columns cells, filled column by column.
void draw_chart(CellScreen& screen, const MemoryPlan& plan, std::uint64_t block_bytes) {
  constexpr auto cells = static_cast<std::uint64_t>(chart_rows * chart_columns);
  for (std::uint64_t cell = 0; cell < cells; ++cell) {
    const std::uint64_t byte = block_bytes * cell / cells;
    InkId ink = InkId::empty;
    for (std::size_t i = 0; i < region_count; ++i) {
      const Region& region = plan.regions[i];
      if (byte >= region.offset && byte < region.offset + region.bytes) ink = ink_of_region(i);
    }
    const int x = column + static_cast<int>(cell) / chart_rows;
    screen.put(x, chart_row + static_cast<int>(cell) % chart_rows, U' ', ink);
  }
}

void draw_line(CellScreen& screen, int row, InkId key, std::string_view name, std::string_view what,
               std::uint64_t bytes) {
  screen.fill(column, row, 2, key);
  screen.put_text(column + 3, row, name, InkId::text);
  screen.put_text(column + 15, row, what, InkId::dim, 32);
  screen.put_text_right(text_columns - column, row, grouped_digits(bytes).view(), InkId::text);
}

void draw_memory(ProgramState& state, std::string_view hints) {
  CellScreen& screen = state.screen;
  screen.clear();
  TextBuffer<64> right;
  right.append("one block of ").append(grouped_digits(state.block.size()).view()).append(" bytes");
  draw_title(screen, "Memory", right.view());
  int row = list_row;
  std::uint64_t used = 0;
  if (state.model.ready) {
    const MemoryPlan& plan = state.model.engine.plan;
    used = plan.total_bytes;
    draw_chart(screen, plan, state.block.size());
    for (std::size_t i = 0; i < region_count; ++i) {
      const Region& region = plan.regions[i];
      draw_line(screen, row++, ink_of_region(i), name_of(region.id), describe(region.id), region.bytes);
    }
  }
  draw_line(screen, row++, InkId::empty, "unused", "left of the block", state.block.size() - used);
  ++row;
  draw_line(screen, row++, InkId::bar, "program", "code, data, stacks", state.memory.program_bytes);
  draw_line(screen, row++, InkId::bar, "system", "what the console could still give",
            state.console.free_memory());
  draw_line(screen, row++, InkId::bar, "heap", "there is none", 0);
  TextBuffer<120> context;
  if (state.model.ready) {
    context.append("Context ").append_unsigned(state.model.fit.context).append(" of the model's ");
    context.append_unsigned(state.model.file.config.seq_len).append(" tokens; plan of ");
    context.append(grouped_digits(used).view()).append(" bytes.");
  }
  screen.put_text(column, row + 1, context.view(), InkId::text, text_columns - 2 * column);
  draw_hints(screen, hints);
}

}  // namespace

void show_memory(ProgramState& state) {
  const Button confirm = state.console.confirm_button();
  const Button cancel = state.console.cancel_button();
  TextBuffer<32> hints;
  hints.append(name_of(cancel)).append(" back");
  while (true) {
    draw_memory(state, hints.view());
    const std::optional<PadEvents> events = next_events(state);
    if (!events || events->pressed.has(cancel) || events->pressed.has(confirm)) return;
  }
}

}  // namespace pspllm::psp
