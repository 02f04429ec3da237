#include "host/report/budget.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/core/units.hpp"

namespace pspllm::host {
namespace {

double percent(std::uint64_t part, std::uint64_t whole) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

Budget make_budget(const Device& device, const std::string& model, const ModelFile& file,
                   const MemoryPlan& plan) {
  Budget budget;
  budget.device = device;
  budget.model = model;
  budget.model_kind = name_of(file.kind);
  budget.parameters = file.config.parameter_count();
  budget.context = plan.options.context;
  budget.block_bytes = plan.total_bytes;
  std::uint64_t offset = 0;
  const auto add = [&](const char* name, const char* description, std::uint64_t bytes, bool in_plan) {
    budget.rows.push_back({name, description, offset, bytes, in_plan});
    offset += bytes;
  };
  add("system", "what the system keeps of the partition", system_bytes, false);
  add("program", "the PSP program: code, data, stacks (an allowance)", psp_program_bytes, false);
  add("kept back", "what the program leaves free for the system's keyboard", console_kept_back_bytes, false);
  for (const Region& region : plan.regions) {
    if (region.bytes > 0) add(name_of(region.id), describe(region.id), region.bytes, true);
  }
  budget.needed_bytes = offset;
  return budget;
}

std::string verdict(const Budget& budget) {
  if (budget.fits())
    return fmt::format("fits the {}: {} left", budget.device.title, binary_size(budget.difference()));
  return fmt::format("does not fit the {}: {} too much; use a shorter context or a smaller model",
                     budget.device.title, binary_size(budget.difference()));
}

std::string budget_table(const Budget& budget) {
  std::string text =
      fmt::format("{} ({}, {} parameters), context {} tokens, on the {}\n\n", budget.model, budget.model_kind,
                  grouped(budget.parameters), budget.context, budget.device.title);
  const std::uint64_t whole = budget.device.partition_bytes;
  const auto row = [&](const std::string& name, std::uint64_t offset, std::uint64_t bytes,
                       const std::string& description) {
    text += fmt::format("{:<12}  {:>12}  {:>12}  {:>6.2f} %  {}\n", name, grouped(offset), grouped(bytes),
                        percent(bytes, whole), description);
  };
  text += fmt::format("{:<12}  {:>12}  {:>12}  {:>8}  {}\n", "region", "offset", "bytes", "share",
                      "what it holds");
  for (const BudgetRow& entry : budget.rows) row(entry.name, entry.offset, entry.bytes, entry.description);
  if (budget.fits()) row("free", budget.needed_bytes, budget.difference(), "left over");
  text += fmt::format("{:<12}  {:>12}  {:>12}\n\n", "partition", "", grouped(whole));
  text += fmt::format("The engine's block: {} bytes. It {}.\n", grouped(budget.block_bytes), verdict(budget));
  return text;
}

nlohmann::json budget_json(const Budget& budget) {
  nlohmann::json rows = nlohmann::json::array();
  for (const BudgetRow& row : budget.rows) {
    rows.push_back({{"name", row.name},
                    {"description", row.description},
                    {"offset", row.offset},
                    {"bytes", row.bytes},
                    {"share", percent(row.bytes, budget.device.partition_bytes) / 100.0},
                    {"in_block", row.in_plan}});
  }
  return {{"model", budget.model},
          {"kind", budget.model_kind},
          {"parameters", budget.parameters},
          {"context", budget.context},
          {"device", std::string(budget.device.name)},
          {"partition_bytes", budget.device.partition_bytes},
          {"system_bytes", system_bytes},
          {"program_bytes", psp_program_bytes},
          {"kept_back_bytes", console_kept_back_bytes},
          {"block_bytes", budget.block_bytes},
          {"needed_bytes", budget.needed_bytes},
          {"free_bytes", budget.fits() ? budget.difference() : 0},
          {"missing_bytes", budget.fits() ? 0 : budget.difference()},
          {"fits", budget.fits()},
          {"regions", rows}};
}

}  // namespace pspllm::host
