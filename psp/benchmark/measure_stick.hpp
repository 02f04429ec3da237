// How fast the Memory Stick gives what the program reads.
#pragma once

#include <cstdint>
#include <span>

#include "psp/benchmark/measure_loops.hpp"
#include "psp/program/stick.hpp"

namespace pspllm::psp {

struct StickSpeed {
  std::uint32_t kilobytes_per_second = 0;  ///< in reads of 128 KB; 0: not measured
  std::uint32_t call_us = 0;               ///< what a read costs beside its bytes
  std::uint32_t open_us = 0;
};

/// Reads the program's own file, in large and in small pieces, into the block. A file that cannot be read
/// leaves zeros and gives the reason.
[[nodiscard]] Status measure_stick(const LoopBench& bench, Stick& stick, const Path& program_file,
                                   StickSpeed& speed);

}  // namespace pspllm::psp
