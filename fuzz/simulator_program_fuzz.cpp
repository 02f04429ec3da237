// Any bytes as a program, or a good one with some bytes changed: refused with a sentence, or run for a while.
#include "fuzz/patched_input.hpp"
#include "simulator/fuzz_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::uint8_t> program = pspllm::simulator::small_program();
  if (size == 0) return 0;
  const std::string file = pspllm::fuzz::patched_input(data, size, {program.begin(), program.end()});
  pspllm::simulator::run_program_input({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()},
                                       (data[0] & 2U) != 0);
  return 0;
}
