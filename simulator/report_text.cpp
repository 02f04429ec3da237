#include <fmt/format.h>

#include <algorithm>

#include "simulator/report.hpp"

namespace pspllm::simulator {

bool ended_well(Ending ending) {
  return ending == Ending::exit_game || ending == Ending::returned || ending == Ending::script_end;
}

Word stack_used(const Thread& thread) {
  const Address top = thread.stack + thread.stack_bytes;
  return thread.stack_lowest > top || thread.stack_lowest < thread.stack ? 0 : top - thread.stack_lowest;
}

double modelled_seconds(const Machine& machine) {
  return static_cast<double>(machine.kernel.now()) / static_cast<double>(second);
}

std::string ending_sentence(const Machine& machine) {
  std::string sentence = fmt::format("{}: {}", name_of(machine.ending), machine.kernel.ending_reason);
  if (machine.ending == Ending::fault && machine.core.fault.kind != FaultKind::none)
    sentence += fmt::format(" (in {})", machine.kernel.module.symbols.describe(machine.core.fault.pc));
  return sentence;
}

namespace {

double share(DoubleWord part, DoubleWord whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string figure(const std::optional<double>& value) {
  return value ? fmt::format("{:.3f}", *value) : "-";
}

std::string figure_line(std::string_view name, const std::optional<double>& value,
                        const std::optional<double>& other, bool both) {
  if (!both) return fmt::format("  {:<28} {:>12}\n", name, figure(value));
  return fmt::format("  {:<28} {:>12} {:>12}\n", name, figure(value), figure(other));
}

std::vector<std::pair<std::string, Statistics>> by_cycles(const std::map<std::string, Statistics>& table) {
  std::vector<std::pair<std::string, Statistics>> rows(table.begin(), table.end());
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second.cycles != b.second.cycles ? a.second.cycles > b.second.cycles : a.first < b.first;
  });
  return rows;
}

std::string stall_list(const Statistics& statistics) {
  std::vector<std::pair<Cycles, std::string_view>> causes;
  for (std::size_t i = 0; i < cause_count; ++i)
    if (statistics.stalls[i] != 0) causes.emplace_back(statistics.stalls[i], cause_names[i]);
  std::sort(causes.rbegin(), causes.rend());
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(causes.size(), 3); ++i)
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", causes[i].second,
                        share(causes[i].first, statistics.cycles));
  return text;
}

std::string statistics_table(std::string_view title, const std::map<std::string, Statistics>& table,
                             Cycles whole, std::size_t most) {
  std::string text = fmt::format("    {:<44} {:>14} {:>6} {:>14} {:>6}  {}\n", title, "cycles", "%",
                                 "instructions", "c/i", "waiting");
  std::size_t shown = 0;
  for (const auto& [name, row] : by_cycles(table)) {
    if (shown++ == most || row.cycles == 0) break;
    const std::string short_name = (title == "function" ? short_function_name(name) : name).substr(0, 44);
    const double per =
        row.instructions == 0 ? 0.0 : static_cast<double>(row.cycles) / static_cast<double>(row.instructions);
    text += fmt::format("    {:<44} {:>14} {:>6.1f} {:>14} {:>6.2f}  {}\n", short_name, row.cycles,
                        share(row.cycles, whole), row.instructions, per, stall_list(row));
  }
  return text;
}

std::string phase_text(std::string_view name, const PhaseTotals& phase) {
  constexpr std::size_t most_functions = 20;
  constexpr std::size_t most_parts = 40;
  const Cycles busy = phase.cycles - std::min(phase.cycles, phase.idle_cycles);
  std::string text = fmt::format("\n  {}: {} cycles, {} of them idle, {} instructions\n", name, phase.cycles,
                                 phase.idle_cycles, phase.statistics.instructions);
  text += fmt::format("    waiting:");
  for (std::size_t i = 0; i < cause_count; ++i)
    if (phase.statistics.stalls[i] != 0)
      text += fmt::format(" {} {:.1f} %", cause_names[i], share(phase.statistics.stalls[i], busy));
  text += fmt::format(
      "\n    lines filled: {} in sequence, {} elsewhere, {} for code; {} written back; {} bytes streamed\n",
      phase.memory.sequential_fills, phase.memory.random_fills + phase.memory.other_fills,
      phase.memory.instruction_fills, phase.memory.evictions,
      (phase.memory.data_fills() + phase.memory.instruction_fills) * line_bytes);
  text += statistics_table("function", phase.functions, busy, most_functions);
  if (phase.parts.size() > 1) text += statistics_table("part", phase.parts, busy, most_parts);
  return text;
}

std::string figures_text(const Machine& machine, const Machine* other) {
  const bool both = other != nullptr;
  const TokenFigures ours = token_figures(machine.kernel.markers);
  const TokenFigures theirs = both ? token_figures(other->kernel.markers) : TokenFigures{};
  std::string text =
      both ? fmt::format("  {:<28} {:>12} {:>12}\n", "modelled", "conservative", "optimistic") : "";
  text +=
      figure_line("prefill tokens/s", ours.prefill_tokens_per_second, theirs.prefill_tokens_per_second, both);
  text +=
      figure_line("decode tokens/s", ours.decode_tokens_per_second, theirs.decode_tokens_per_second, both);
  text += figure_line("first token, s", ours.first_token_seconds, theirs.first_token_seconds, both);
  text += figure_line("start, s", ours.start_seconds, theirs.start_seconds, both);
  text += figure_line("whole run, s", modelled_seconds(machine),
                      both ? std::optional(modelled_seconds(*other)) : std::nullopt, both);
  return text;
}

}  // namespace

std::string report_text(const Machine& machine, const Machine* other, bool profile) {
  const Kernel& kernel = machine.kernel;
  std::string text = ending_sentence(machine) + "\n";
  text += figures_text(machine, other);
  text += fmt::format("  {:<28} {:>12}\n", "cycles", machine.core.cycle);
  text += fmt::format("  {:<28} {:>12}\n", "instructions", machine.core.instructions);
  text += fmt::format("  {:<28} {:>12}\n", "largest memory block, bytes", kernel.largest_block);
  text += fmt::format("  {:<28} {:>12}\n", "least free memory, bytes", machine.partition.lowest_free());
  for (const auto& [uid, thread] : kernel.threads)
    text += fmt::format("  {:<28} {:>12} of {}\n", "stack of " + thread.name, stack_used(thread),
                        thread.stack_bytes);
  if (machine.core.approximate_operations != 0)
    text += fmt::format("  {} VFPU operations whose last bits may differ from hardware (docs/simulator.md)\n",
                        machine.core.approximate_operations);
  for (const auto& [key, record] : machine.hazards.records())
    text += fmt::format("  hazard: {} at {}, {} times (first address {:08x})\n", name_of(key.first),
                        kernel.module.symbols.describe(key.second), record.count, record.address);
  if (!profile) return text;
  for (std::size_t i = 0; i < phase_count; ++i)
    if (const PhaseTotals& phase = machine.profile.phases()[i]; phase.cycles != 0)
      text += phase_text(phase_names[i], phase);
  return text;
}

}  // namespace pspllm::simulator
