// The console program with the portable kernels, to be compared.
#include "engine/ops/portable/portable_kernels.hpp"
#include "psp/program/kernels.hpp"

namespace pspllm::psp {

const Kernels& program_kernels() {
  return portable_kernels();
}

}  // namespace pspllm::psp
