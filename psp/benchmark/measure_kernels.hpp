// The engine's kernels on this console, on numbers that mean nothing in the shapes of stories15M.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "engine/ops/kernels.hpp"
#include "psp/benchmark/measure_loops.hpp"

namespace pspllm::psp {

/// One kernel's figure.
struct KernelFigure {
  std::string_view name;  ///< as in bench.txt, after "kernel_"
  std::string_view unit;  ///< what the cycles are counted by
  float cycles = 0.0F;
};

inline constexpr std::size_t kernel_figure_count = 6;

/// Cycles a unit of kernel `index` (0 … kernel_figure_count - 1), by the fastest of several runs. Uses the
/// whole block.
[[nodiscard]] KernelFigure measure_kernel(const LoopBench& bench, const Kernels& kernels, std::size_t index);

}  // namespace pspllm::psp
