// libFuzzer's entry (-DPSPLLM_FUZZ=ON, clang).
#include "simulator/fuzz_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pspllm::simulator::run_fuzz_input({data, size});
  return 0;
}
