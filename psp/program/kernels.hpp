// Which kernels the program runs the model with.
#pragma once

#include "engine/ops/kernels.hpp"

namespace pspllm::psp {

[[nodiscard]] inline const Kernels& program_kernels() {
  return reference_kernels();
}

}  // namespace pspllm::psp
