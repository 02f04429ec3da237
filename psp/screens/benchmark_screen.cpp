#include "psp/screens/benchmark_screen.hpp"

#include "psp/benchmark/run_benchmark.hpp"
#include "psp/program/busy.hpp"
#include "psp/program/interaction.hpp"
#include "psp/program/saved_files.hpp"
#include "psp/screens/frame.hpp"
#include "psp/screens/message_screen.hpp"

namespace pspllm::psp {
namespace {

constexpr std::string_view program_file_name = "EBOOT.PBP";
constexpr std::int32_t error_stopped = -110;
constexpr int rows_per_column = 25;
constexpr int value_columns = 6;

/// Names on the left, numbers on the right.
struct ResultColumn {
  int begin;
  int end;
};
constexpr ResultColumn constants_column{1, 34};
constexpr ResultColumn kernels_column{36, 59};

void draw_measuring(ProgramState& state, std::size_t step) {
  CellScreen& screen = state.screen;
  screen.clear();
  draw_title(screen, "Benchmark", "");
  screen.put_text(4, 14, "Measuring this console ...", InkId::text);
  draw_bar(screen, 4, 16, text_columns - 8, step, benchmark_steps);
  draw_hints(screen, "CIRCLE stop   HOME leave");
}

/// Measures everything; false when the person stopped it.
bool measure(ProgramState& state, BenchmarkResults& results) {
  announce(state, "benchmark");
  state.session.forget_engine();
  state.model.ready = false;
  const Benchmark benchmark{{*state.benchmark_loops, state.console, state.block},
                            state.kernels,
                            state.stick,
                            join_path(state.folder.view(), program_file_name)};
  begin_busy(state);
  bool go_on = true;
  for (std::size_t step = 0; step < benchmark_steps && go_on; ++step) {
    draw_measuring(state, step);
    state.console.show_now(state.screen);
    run_benchmark_step(benchmark, step, results);
    go_on = keep_computing(state);
  }
  drop_presses(state);
  return go_on;
}

struct ResultLine {
  std::string_view name;
  TextBuffer<16> value;
};

/// One cell column after the other.
void draw_line(CellScreen& screen, int index, const ResultLine& line, InkId ink) {
  const ResultColumn column = index < rows_per_column ? constants_column : kernels_column;
  const int row = first_content_row + 1 + index % rows_per_column;
  screen.put_text(column.begin, row, line.name, InkId::text, column.end - column.begin - value_columns);
  screen.put_text_right(column.end, row, line.value.view(), ink);
}

void draw_results(ProgramState& state, const BenchmarkResults& results, std::string_view saved) {
  CellScreen& screen = state.screen;
  screen.clear();
  TextBuffer<32> clock;
  clock.append_unsigned(static_cast<std::uint64_t>(results.clock.cpu)).append('/');
  clock.append_unsigned(static_cast<std::uint64_t>(results.clock.bus)).append(" MHz, cycles");
  draw_title(screen, "Benchmark", clock.view());
  int index = 0;
  for (const MeasuredConstant& constant : derive_constants(results.loops)) {
    ResultLine line{constant.name, {}};
    line.value.append_unsigned(constant.value);
    draw_line(screen, index++, line, InkId::person);
  }
  index = rows_per_column;
  for (const KernelFigure& kernel : results.kernels) {
    ResultLine line{kernel.name, {}};
    line.value.append_ratio(static_cast<std::uint64_t>(kernel.cycles * 1000.0F), 1000, 2);
    draw_line(screen, index++, line, InkId::person);
  }
  ++index;
  const std::pair<std::string_view, std::uint32_t> stick_lines[] = {
      {"stick, KB/s", results.stick.kilobytes_per_second},
      {"stick, us a read", results.stick.call_us},
      {"stick, us an open", results.stick.open_us}};
  for (const auto& [name, value] : stick_lines) {
    ResultLine line{name, {}};
    line.value.append_unsigned(value);
    draw_line(screen, index++, line, InkId::person);
  }
  screen.put_paragraph(constants_column.begin, last_content_row - 1,
                       text_columns - 2 * constants_column.begin, 2, saved, InkId::dim);
  draw_hints(screen, "CIRCLE or CROSS back");
}

Status save(ProgramState& state, const BenchmarkResults& results) {
  return save_beside_program(state, bench_file_name, format_bench_file(results).view());
}

Status missing_memory() {
  return failure_sentence(error_too_large,
                          "The benchmark needs 2 MB of free memory, which this console does not have.");
}

}  // namespace

bool can_benchmark(const ProgramState& state) {
  return state.benchmark_loops != nullptr && state.block.size() >= benchmark_memory_bytes;
}

void show_benchmark(ProgramState& state) {
  const ScreenMessage question = {"Benchmark",
                                  "This measures the console for some seconds and writes bench.txt, which "
                                  "tells the simulator on a PC how a real "
                                  "console behaves. It needs the model's memory.",
                                  "The story so far is forgotten; the model is loaded again afterwards.",
                                  false};
  if (!show_message(state, question, "measure")) return;
  BenchmarkResults results;
  if (!measure(state, results)) return;
  const Status saved = save(state, results);
  const std::string_view note =
      saved.ok() ? std::string_view("Saved as bench.txt beside the program.") : saved.sentence.view();
  announce(state, "benchmark results");
  const Button confirm = state.console.confirm_button();
  const Button cancel = state.console.cancel_button();
  while (true) {
    draw_results(state, results, note);
    const std::optional<PadEvents> events = next_events(state);
    if (!events || events->pressed.has(cancel) || events->pressed.has(confirm)) return;
  }
}

Status run_benchmark_unattended(ProgramState& state) {
  if (!can_benchmark(state)) return missing_memory();
  BenchmarkResults results;
  if (!measure(state, results)) return failure_sentence(error_stopped, "The benchmark was stopped.");
  draw_results(state, results, "");
  state.console.show_now(state.screen);
  return save(state, results);
}

}  // namespace pspllm::psp
