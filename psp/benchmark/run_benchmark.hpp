// The whole benchmark, step by step, so that a screen can show how far it is and a person can stop it.
#pragma once

#include <array>
#include <cstddef>

#include "psp/benchmark/derive_constants.hpp"
#include "psp/benchmark/measure_kernels.hpp"
#include "psp/benchmark/measure_stick.hpp"
#include "psp/platform/text_buffer.hpp"

namespace pspllm::psp {

struct BenchmarkResults {
  ClockSpeed clock;
  float overhead = 0.0F;  ///< cycles that the loops' own counting takes an iteration
  LoopCycles loops{};
  std::array<KernelFigure, kernel_figure_count> kernels;
  StickSpeed stick;
  Status stick_status;  ///< why the stick could not be measured
};

struct Benchmark {
  LoopBench bench;
  const Kernels& kernels;
  Stick& stick;
  Path program_file;  ///< what the stick's speed is measured with
};

/// Every loop, every kernel, the stick.
inline constexpr std::size_t benchmark_steps = loop_count + kernel_figure_count + 1;

/// Does step 0 … benchmark_steps - 1; in order, since the first loop is what the others are compared with.
void run_benchmark_step(const Benchmark& benchmark, std::size_t step, BenchmarkResults& results);

/// Longest bench.txt in bytes.
inline constexpr std::size_t max_bench_bytes = 4096;

/// bench.txt: constants of the simulator's timing model by name, then what they were derived from; a name and
/// a number a line.
[[nodiscard]] TextBuffer<max_bench_bytes> format_bench_file(const BenchmarkResults& results);

}  // namespace pspllm::psp
