#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "simulator/report.hpp"

namespace pspllm::simulator {

namespace {

using nlohmann::json;

json number_or_null(const std::optional<double>& value) {
  return value ? json(*value) : json(nullptr);
}

json stalls_json(const Statistics& statistics) {
  json result = json::object();
  for (std::size_t i = 0; i < cause_count; ++i)
    if (statistics.stalls[i] != 0) result[std::string(cause_names[i])] = statistics.stalls[i];
  return result;
}

json statistics_json(const Statistics& statistics) {
  return {{"cycles", statistics.cycles},
          {"instructions", statistics.instructions},
          {"data_misses", statistics.data_misses},
          {"instruction_misses", statistics.instruction_misses},
          {"stalls", stalls_json(statistics)}};
}

json table_json(const std::map<std::string, Statistics>& table) {
  json result = json::object();
  for (const auto& [name, statistics] : table) result[name] = statistics_json(statistics);
  return result;
}

json memory_json(const MemoryStatistics& memory) {
  return {{"sequential_fills", memory.sequential_fills},
          {"random_fills", memory.random_fills},
          {"vram_and_scratchpad_fills", memory.other_fills},
          {"instruction_fills", memory.instruction_fills},
          {"prefetches", memory.prefetches},
          {"evictions", memory.evictions},
          {"uncached_reads", memory.uncached_reads},
          {"uncached_writes", memory.uncached_writes},
          {"bytes_streamed", (memory.data_fills() + memory.instruction_fills) * line_bytes}};
}

json phases_json(const Profile& profile) {
  json result = json::object();
  for (std::size_t i = 0; i < phase_count; ++i) {
    const PhaseTotals& phase = profile.phases()[i];
    if (phase.cycles == 0) continue;
    json one = statistics_json(phase.statistics);
    one["cycles"] = phase.cycles;
    one["idle_cycles"] = phase.idle_cycles;
    one["memory"] = memory_json(phase.memory);
    one["functions"] = table_json(phase.functions);
    one["parts"] = table_json(phase.parts);
    result[std::string(phase_names[i])] = one;
  }
  return result;
}

json hazards_json(const Machine& machine) {
  json list = json::array();
  for (const auto& [key, record] : machine.hazards.records())
    list.push_back({{"kind", name_of(key.first)},
                    {"pc", key.second},
                    {"where", machine.kernel.module.symbols.describe(key.second)},
                    {"address", record.address},
                    {"count", record.count}});
  return list;
}

json threads_json(const Kernel& kernel) {
  json list = json::array();
  for (const auto& [uid, thread] : kernel.threads)
    list.push_back({{"name", thread.name},
                    {"priority", thread.priority},
                    {"stack_bytes", thread.stack_bytes},
                    {"stack_used_bytes", stack_used(thread)}});
  return list;
}

json fault_json(const Machine& machine) {
  const Fault& fault = machine.core.fault;
  if (fault.kind == FaultKind::none) return nullptr;
  return {{"kind", name_of(fault.kind)},
          {"pc", fault.pc},
          {"where", machine.kernel.module.symbols.describe(fault.pc)},
          {"address", fault.address},
          {"detail", fault.detail}};
}

json switches_json(const Timing& timing) {
  json result = json::object();
  for (const ConstantInfo& row : constant_table) result[std::string(row.name)] = timing[row.key];
  return result;
}

json events_json(const Kernel& kernel) {
  json list = json::array();
  for (const Event& event : kernel.events)
    list.push_back(
        {{"seconds", static_cast<double>(event.time) / static_cast<double>(second)}, {"what", event.what}});
  return list;
}

// The figures that both ends of the switches are shown with.
json figures_json(const Machine& machine) {
  const TokenFigures figures = token_figures(machine.kernel.markers);
  return {{"prefill_tokens_per_second", number_or_null(figures.prefill_tokens_per_second)},
          {"decode_tokens_per_second", number_or_null(figures.decode_tokens_per_second)},
          {"first_token_seconds", number_or_null(figures.first_token_seconds)},
          {"start_seconds", number_or_null(figures.start_seconds)},
          {"prompt_tokens", figures.prompt_tokens},
          {"tokens", figures.tokens},
          {"cycles", machine.core.cycle},
          {"instructions", machine.core.instructions},
          {"seconds", modelled_seconds(machine)},
          {"exit", name_of(machine.ending)}};
}

}  // namespace

json report_json(const Machine& machine, const Machine* other) {
  const Kernel& kernel = machine.kernel;
  json report = figures_json(machine);
  report["device"] = model_of(machine.options.device).name;
  report["reason"] = kernel.ending_reason;
  report["fault"] = fault_json(machine);
  report["block_bytes"] = kernel.largest_block;
  report["free_bytes"] = machine.partition.lowest_free();
  report["program_bytes"] = kernel.module.size;
  report["idle_cycles"] = kernel.idle_cycles;
  report["kernel_cycles"] = kernel.kernel_cycles;
  report["thread_switches"] = kernel.thread_switches;
  report["frames"] = kernel.frame();
  report["approximate_vfpu_operations"] = machine.core.approximate_operations;
  report["stick_bytes_read"] = kernel.stick.bytes_read;
  report["stick_bytes_written"] = kernel.stick.bytes_written;
  report["memory"] = memory_json(machine.core.data_cache.statistics);
  report["phases"] = phases_json(machine.profile);
  report["hazards"] = hazards_json(machine);
  report["threads"] = threads_json(kernel);
  report["calls"] = kernel.call_counts;
  report["events"] = events_json(kernel);
  report["output"] = kernel.output;
  report["switches"] = switches_json(machine.core.timing);
  report["optimistic"] = other != nullptr ? figures_json(*other) : json(nullptr);
  return report;
}

}  // namespace pspllm::simulator
