// Which kernels the program runs the model with.
#pragma once

#include "engine/ops/kernels.hpp"

namespace pspllm::psp {

/// The vector unit's, bit for bit like the scalar reference. Programs for benchmarks link another
/// (bench/psp).
[[nodiscard]] const Kernels& program_kernels();

}  // namespace pspllm::psp
