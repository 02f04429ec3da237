// The console program with the scalar reference, to be compared.
#include "psp/program/kernels.hpp"

namespace pspllm::psp {

const Kernels& program_kernels() {
  return reference_kernels();
}

}  // namespace pspllm::psp
