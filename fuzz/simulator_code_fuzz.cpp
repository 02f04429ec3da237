// Any words as a program's code, half of the inputs as the VFPU's instructions.
#include <cstddef>
#include <cstdint>

#include "simulator/fuzz_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  pspllm::simulator::run_code_input({data + 1, size - 1}, (data[0] & 1U) != 0);
  return 0;
}
