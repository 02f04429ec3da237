// Which kernels the program runs the model with.
#pragma once

#include "engine/ops/psp/vfpu_kernels.hpp"

namespace pspllm::psp {

/// The vector unit's, bit for bit like the scalar reference.
[[nodiscard]] inline const Kernels& program_kernels() {
  return vfpu_kernels();
}

}  // namespace pspllm::psp
