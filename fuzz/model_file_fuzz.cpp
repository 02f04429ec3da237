// Any bytes as a model file: refused with a sentence, or loaded and run for a few tokens.
#include <cstddef>
#include <cstdint>

#include "fuzz/load_and_run.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pspllm::fuzz::read_load_and_run({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}
