#include "psp/program/kernels.hpp"

#include "engine/ops/psp/vfpu_kernels.hpp"

namespace pspllm::psp {

const Kernels& program_kernels() {
  return vfpu_kernels();
}

}  // namespace pspllm::psp
