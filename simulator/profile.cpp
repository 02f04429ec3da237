#include "simulator/profile.hpp"

#include <fmt/format.h>

namespace pspllm::simulator {

namespace {

constexpr std::array<DoubleWord MemoryStatistics::*, 8> memory_fields{
    &MemoryStatistics::sequential_fills,  &MemoryStatistics::random_fills,   &MemoryStatistics::other_fills,
    &MemoryStatistics::instruction_fills, &MemoryStatistics::prefetches,     &MemoryStatistics::evictions,
    &MemoryStatistics::uncached_reads,    &MemoryStatistics::uncached_writes};

}  // namespace

MemoryStatistics operator-(const MemoryStatistics& a, const MemoryStatistics& b) {
  MemoryStatistics result;
  for (const auto field : memory_fields) result.*field = a.*field - b.*field;
  return result;
}

MemoryStatistics& operator+=(MemoryStatistics& a, const MemoryStatistics& b) {
  for (const auto field : memory_fields) a.*field += b.*field;
  return a;
}

Word Profile::function_of(const Block& block) {
  const SymbolTable::Symbol* const symbol = kernel_.module.symbols.find(block.pc);
  constexpr Address page = 0xFFF;
  const bool trampoline = block.pc == thread_return_address || block.pc == callback_return_address;
  const std::string name = trampoline          ? "(return to the kernel)"
                           : symbol != nullptr ? symbol->name
                                               : fmt::format("{:08x}", block.pc & ~page);
  const auto [found, added] = function_numbers_.try_emplace(name, static_cast<Word>(function_names_.size()));
  if (added) function_names_.push_back(name);
  return found->second;
}

std::string Profile::part() const {
  std::string path;
  for (const std::string& name : open_parts_) path += path.empty() ? name : "/" + name;
  return path.empty() ? "(outside of parts)" : path;
}

void Profile::collect() {
  PhaseTotals& totals = phases_[static_cast<std::size_t>(phase_)];
  Statistics& of_part = totals.parts[part()];
  for (const auto& block : kernel_.core.blocks.all()) {
    if (block->statistics.executions == 0 && block->statistics.cycles == 0) continue;
    if (block->function == 0) block->function = function_of(*block);
    Statistics statistics = block->statistics;
    statistics.instructions = statistics.executions * block->length();
    totals.functions[function_names_[block->function]].add(statistics);
    totals.statistics.add(statistics);
    of_part.add(statistics);
    block->statistics = {};
  }
  if (const Cycles background = kernel_.background_cycles - collected_background_; background != 0) {
    Statistics statistics;
    statistics.cycles = background;
    statistics.stalls[static_cast<std::size_t>(Cause::kernel)] = background;
    totals.functions["(kernel in the background)"].add(statistics);
    totals.statistics.add(statistics);
    collected_background_ = kernel_.background_cycles;
  }
  totals.cycles += kernel_.core.cycle - collected_cycle_;
  totals.idle_cycles += kernel_.idle_cycles - collected_idle_;
  totals.memory += kernel_.core.data_cache.statistics - collected_memory_;
  collected_cycle_ = kernel_.core.cycle;
  collected_idle_ = kernel_.idle_cycles;
  collected_memory_ = kernel_.core.data_cache.statistics;
}

void Profile::note(const MarkerRecord& marker) {
  collect();
  switch (marker.kind) {
    case MarkerKind::ready:
    case MarkerKind::answer_end:
      phase_ = Phase::idle;
      break;
    case MarkerKind::prompt_begin:
      phase_ = Phase::prefill;
      break;
    case MarkerKind::prompt_end:
    case MarkerKind::token:
      phase_ = Phase::decode;
      break;
    case MarkerKind::phase_begin: {
      constexpr std::size_t longest_name = 64;
      std::string name;
      if (!kernel_.memory.read_string(marker.value, longest_name, name) || name.empty()) name = "(unnamed)";
      open_parts_.push_back(name);
      break;
    }
    case MarkerKind::layer_begin:
      open_parts_.push_back(fmt::format("layer {}", marker.value));
      break;
    case MarkerKind::phase_end:
    case MarkerKind::layer_end:
      if (!open_parts_.empty()) open_parts_.pop_back();
      break;
  }
}

PhaseTotals Profile::total() const {
  PhaseTotals sum;
  for (const PhaseTotals& phase : phases_) {
    sum.cycles += phase.cycles;
    sum.idle_cycles += phase.idle_cycles;
    sum.statistics.add(phase.statistics);
    sum.memory += phase.memory;
    for (const auto& [name, statistics] : phase.functions) sum.functions[name].add(statistics);
    for (const auto& [name, statistics] : phase.parts) sum.parts[name].add(statistics);
  }
  return sum;
}

}  // namespace pspllm::simulator
