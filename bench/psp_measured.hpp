// What the PSP's kernels take in the simulator, and the table of it.
#pragma once

#include <string>
#include <vector>

#include "simulator/words.hpp"

namespace pspllm::simulator {

inline constexpr double modelled_megahertz = 333.0;

/// One call of a kernel, or one token of the whole program, with one set of kernels.
struct Measured {
  std::string set;     ///< "reference", "portable", "vfpu"
  std::string kernel;  ///< "matmul_q80 768x288 8 tokens", "decode, a token"
  Cycles cycles = 0;
  DoubleWord line_fills = 0;  ///< of the data cache

  [[nodiscard]] std::string name() const { return set + "/" + kernel; }
};

/// The same calls with three sets of constants.
struct Figures {
  std::vector<Measured> conservative;
  std::vector<Measured> optimistic;
  std::vector<Measured> issue;  ///< nothing ever waits: what issuing alone takes
};

/// A row a kernel: cycles a weight (position, element) or tokens a second with each set, what the VFPU's call
/// takes for issuing alone and for its line fills alone, and how many times as fast as the other sets it is.
void print_table(const Figures& figures);

}  // namespace pspllm::simulator
