// Any text as a key script, a set of switches, a bench file.
#include <cstddef>
#include <cstdint>

#include "simulator/fuzz_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pspllm::simulator::run_text_input({data, size});
  return 0;
}
