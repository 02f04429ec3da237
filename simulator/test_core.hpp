#pragma once
// A processor with memory and nothing else, for tests: words are placed and run until a break.
#include <memory>
#include <vector>

#include "simulator/core.hpp"
#include "simulator/encode.hpp"

namespace pspllm::simulator {

struct TestCore {
  static constexpr Address code = user_base + user_reserved_bytes;
  static constexpr Address data = user_base + 2U * mebibyte;
  static constexpr Word end_code = 1023;  // of the break that ends a test program

  HazardLog hazards;
  BlockCache blocks;
  Memory memory{psp2000_model, 8U * mebibyte};
  Core core;

  explicit TestCore(const Timing& timing = conservative_timing(), bool check_uninitialised = false)
      : blocks(check_uninitialised), core(memory, hazards, blocks, timing) {
    core.fcr31 = 0;
  }

  void place(Address address, const std::vector<Word>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) store(address + static_cast<Address>(i) * 4U, words[i]);
  }
  void store(Address address, Word value) { store_as(memory.find(address).data, value); }
  [[nodiscard]] Word load(Address address) { return load_as<Word>(memory.find(address).data); }

  // Runs `program` from `code` with a break after it; true when it ended there.
  bool run(std::vector<Word> program, Cycles limit = ~Cycles{0}) {
    program.push_back(encode::break_(end_code));
    program.push_back(encode::nop);
    place(code, program);
    core.instruction_cache.clear();
    core.pc = code;
    const RunResult result = core.run(limit == ~Cycles{0} ? limit : core.cycle + limit);
    return result == RunResult::fault && core.fault.kind == FaultKind::breakpoint &&
           core.fault.detail == end_code;
  }
};

}  // namespace pspllm::simulator
