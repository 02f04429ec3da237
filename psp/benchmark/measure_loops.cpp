#include "psp/benchmark/measure_loops.hpp"

#include <algorithm>

namespace pspllm::psp {
namespace {

/// Long enough for a clock of microseconds, short enough to fit between two interrupts of the display.
constexpr std::uint64_t least_run_us = 1500;
constexpr std::uint32_t runs = 5;
constexpr std::uint32_t most_iterations = 1U << 20;
constexpr std::uint32_t cache_flush_iterations = 32;  ///< of stream_read: 32 KB, twice the cache
constexpr std::uint32_t scratchpad_repeats = 40;

LoopFunction code_of(const LoopBench& bench, LoopId id) {
  return bench.loops.run[static_cast<std::size_t>(id)];
}

const Loop& loop_of(LoopId id) {
  return loop_table[static_cast<std::size_t>(id)];
}

void* memory_of(const LoopBench& bench, LoopMemory memory) {
  switch (memory) {
    case LoopMemory::vram:
      return bench.loops.vram;
    case LoopMemory::scratchpad:
      return bench.loops.scratchpad;
    case LoopMemory::uncached:
      return bench.loops.uncached(bench.block.data(), block_alignment);
    case LoopMemory::word:
    case LoopMemory::stream:
      break;
  }
  return bench.block.data();
}

std::uint64_t run_us(const LoopBench& bench, LoopFunction code, std::uint32_t iterations, void* memory) {
  const std::uint64_t start = bench.console.now_us();
  code(iterations, memory);
  return bench.console.now_us() - start;
}

/// Microseconds of one iteration, by the fastest run.
float iteration_us(const LoopBench& bench, LoopFunction code, std::uint32_t limit, void* memory) {
  std::uint32_t iterations = std::min<std::uint32_t>(limit, 16);
  std::uint64_t best = run_us(bench, code, iterations, memory);
  while (best < least_run_us && iterations < limit) {
    iterations = std::min(limit, iterations * 2);
    best = run_us(bench, code, iterations, memory);
  }
  for (std::uint32_t run = 1; run < runs; ++run)
    best = std::min(best, run_us(bench, code, iterations, memory));
  return static_cast<float>(best) / static_cast<float>(iterations);
}

/// The scratchpad is as large as the cache: between two passes the cache has to be emptied, and that has to
/// be taken off again.
float scratchpad_iteration_us(const LoopBench& bench) {
  const LoopFunction read = code_of(bench, LoopId::stream_read);
  const std::uint32_t limit = loop_of(LoopId::stream_scratchpad).stream_limit;
  const auto passes = [&](bool with_scratchpad) {
    std::uint64_t best = ~std::uint64_t{0};
    for (std::uint32_t run = 0; run < runs; ++run) {
      const std::uint64_t start = bench.console.now_us();
      for (std::uint32_t pass = 0; pass < scratchpad_repeats; ++pass) {
        read(cache_flush_iterations, bench.block.data());
        if (with_scratchpad) read(limit, bench.loops.scratchpad);
      }
      best = std::min(best, bench.console.now_us() - start);
    }
    return best;
  };
  const std::uint64_t with = passes(true);
  const std::uint64_t without = passes(false);
  return static_cast<float>(with - std::min(with, without)) / static_cast<float>(limit * scratchpad_repeats);
}

float megahertz(const LoopBench& bench) {
  return static_cast<float>(bench.console.clock().cpu);
}

}  // namespace

float measure_overhead(const LoopBench& bench) {
  return iteration_us(bench, code_of(bench, LoopId::empty), most_iterations, bench.block.data()) *
         megahertz(bench);
}

float measure_loop(const LoopBench& bench, LoopId id, float overhead) {
  const Loop& loop = loop_of(id);
  const bool is_stream = loop.stream_limit != 0;
  const float us =
      loop.memory == LoopMemory::scratchpad
          ? scratchpad_iteration_us(bench)
          : iteration_us(bench, code_of(bench, id), is_stream ? loop.stream_limit : most_iterations,
                         memory_of(bench, loop.memory));
  const float cycles =
      us * megahertz(bench) - (id == LoopId::empty ? 0.0F : overhead + (is_stream ? 1.0F : 0.0F));
  return std::max(cycles, 0.0F) / static_cast<float>(loop.operations);
}

}  // namespace pspllm::psp
