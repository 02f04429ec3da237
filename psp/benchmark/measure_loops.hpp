// Running the loops against the clock.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "psp/benchmark/loops.hpp"
#include "psp/program/console.hpp"

namespace pspllm::psp {

/// CPU cycles an operation of every loop, the loop's own counting and branching taken off.
using LoopCycles = std::array<float, loop_count>;

/// What the loops work on. block: benchmark_memory_bytes or more, 64-byte aligned; its content is lost.
struct LoopBench {
  const LoopSet& loops;
  Console& console;
  std::span<std::byte> block;
};

/// Cycles that the counter of a loop takes an iteration: to be known before the other loops are measured.
[[nodiscard]] float measure_overhead(const LoopBench& bench);

/// Cycles an operation: the fastest of several runs of some milliseconds each, so that the system's
/// interrupts stay out of it.
[[nodiscard]] float measure_loop(const LoopBench& bench, LoopId id, float overhead);

}  // namespace pspllm::psp
