#include "psp/benchmark/run_benchmark.hpp"

namespace pspllm::psp {
namespace {

using BenchText = TextBuffer<max_bench_bytes>;

void put_cycles(BenchText& text, std::string_view prefix, std::string_view name, float cycles) {
  text.append(prefix).append(name).append(' ');
  text.append_ratio(static_cast<std::uint64_t>(cycles * 1000.0F + 0.5F), 1000, 2).append('\n');
}

void put_number(BenchText& text, std::string_view name, std::uint64_t value) {
  text.append(name).append(' ').append_unsigned(value).append('\n');
}

void put_stick(BenchText& text, const BenchmarkResults& results) {
  if (results.stick.kilobytes_per_second == 0) {
    text.append("# the Memory Stick was not measured: ")
        .append(results.stick_status.sentence.view())
        .append('\n');
    return;
  }
  put_number(text, "stick_read_kilobytes_per_second", results.stick.kilobytes_per_second);
  put_number(text, "stick_call_microseconds", results.stick.call_us);
  put_number(text, "stick_open_microseconds", results.stick.open_us);
}

}  // namespace

void run_benchmark_step(const Benchmark& benchmark, std::size_t step, BenchmarkResults& results) {
  if (step == 0) {
    results.clock = benchmark.bench.console.clock();
    results.overhead = measure_overhead(benchmark.bench);
  }
  if (step < loop_count) {
    results.loops[step] = measure_loop(benchmark.bench, static_cast<LoopId>(step), results.overhead);
  } else if (step < loop_count + kernel_figure_count) {
    const std::size_t kernel = step - loop_count;
    results.kernels[kernel] = measure_kernel(benchmark.bench, benchmark.kernels, kernel);
  } else {
    results.stick_status =
        measure_stick(benchmark.bench, benchmark.stick, benchmark.program_file, results.stick);
  }
}

TextBuffer<max_bench_bytes> format_bench_file(const BenchmarkResults& results) {
  BenchText text("# PspLlm benchmark. pspllm simulate --bench takes the constants below.\n");
  put_number(text, "cpu_megahertz", static_cast<std::uint64_t>(results.clock.cpu));
  put_number(text, "bus_megahertz", static_cast<std::uint64_t>(results.clock.bus));
  for (const MeasuredConstant& constant : derive_constants(results.loops))
    put_number(text, constant.name, constant.value);
  put_stick(text, results);
  text.append("# cycles an operation of each loop, and a unit of each kernel\n");
  for (const Loop& loop : loop_table)
    put_cycles(text, "loop_", loop.name, results.loops[static_cast<std::size_t>(loop.id)]);
  for (const KernelFigure& kernel : results.kernels) put_cycles(text, "kernel_", kernel.name, kernel.cycles);
  return text;
}

}  // namespace pspllm::psp
