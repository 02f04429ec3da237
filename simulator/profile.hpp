#pragma once
// Where the cycles go: by phase of the program (markers.hpp), by function, by named part.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "simulator/kernel.hpp"

namespace pspllm::simulator {

// What the program is doing as a whole.
enum class Phase : Byte { start, idle, prefill, decode, count };

constexpr std::size_t phase_count = static_cast<std::size_t>(Phase::count);
constexpr std::array<std::string_view, phase_count> phase_names{"start", "idle", "prefill", "decode"};

struct PhaseTotals {
  Cycles cycles = 0;  // idle ones included
  Cycles idle_cycles = 0;
  Statistics statistics;  // of all functions
  MemoryStatistics memory;
  std::map<std::string, Statistics> functions;
  std::map<std::string, Statistics>
      parts;  // by the names that phase and layer markers give, nested ones with '/'
};

class Profile {
 public:
  explicit Profile(Kernel& kernel) : kernel_(kernel) {}

  // To be called for every marker, before the program goes on.
  void note(const MarkerRecord& marker);
  // Takes what has been counted since the last call; also when blocks are dropped, and at the end of a run.
  void collect();

  [[nodiscard]] const std::array<PhaseTotals, phase_count>& phases() const { return phases_; }
  // All phases together.
  [[nodiscard]] PhaseTotals total() const;

 private:
  [[nodiscard]] Word function_of(const Block& block);
  [[nodiscard]] std::string part() const;

  Kernel& kernel_;
  Phase phase_ = Phase::start;
  std::vector<std::string> open_parts_;
  std::array<PhaseTotals, phase_count> phases_;
  std::vector<std::string> function_names_{""};
  std::map<std::string, Word> function_numbers_;
  Cycles collected_cycle_ = 0;
  Cycles collected_idle_ = 0;
  Cycles collected_background_ = 0;
  MemoryStatistics collected_memory_;
};

[[nodiscard]] MemoryStatistics operator-(const MemoryStatistics& a, const MemoryStatistics& b);
MemoryStatistics& operator+=(MemoryStatistics& a, const MemoryStatistics& b);

}  // namespace pspllm::simulator
