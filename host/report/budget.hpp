// A memory plan laid over a device's memory: what `pspllm budget` prints.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/model/memory_plan.hpp"
#include "host/report/device.hpp"

namespace pspllm::host {

/// One stretch of the device's memory.
struct BudgetRow {
  std::string name;
  std::string description;
  std::uint64_t offset = 0;  ///< from the start of the user partition
  std::uint64_t bytes = 0;
  bool in_plan = false;  ///< a region of the engine's block
};

struct Budget {
  Device device;
  std::string model;       ///< file name, for titles
  std::string model_kind;  ///< "llama2.c version 2 (q80)"
  std::uint64_t parameters = 0;
  std::uint32_t context = 0;
  std::vector<BudgetRow> rows;  ///< system, program, what the program keeps back, every region, in order; no
                                ///< row for what is left
  std::uint64_t block_bytes = 0;   ///< the engine's block
  std::uint64_t needed_bytes = 0;  ///< system, program, what it keeps back, and the block together
  [[nodiscard]] bool fits() const noexcept { return needed_bytes <= device.partition_bytes; }
  /// Bytes left over, or missing where it does not fit.
  [[nodiscard]] std::uint64_t difference() const noexcept {
    return fits() ? device.partition_bytes - needed_bytes : needed_bytes - device.partition_bytes;
  }
};

[[nodiscard]] Budget make_budget(const Device& device, const std::string& model, const ModelFile& file,
                                 const MemoryPlan& plan);

/// "fits the PSP-1000: 6.51 MiB left" or what is missing.
[[nodiscard]] std::string verdict(const Budget& budget);
/// A table for a terminal.
[[nodiscard]] std::string budget_table(const Budget& budget);
[[nodiscard]] nlohmann::json budget_json(const Budget& budget);
/// A whole HTML page with the map as an inline SVG picture; no script, no outside resource.
[[nodiscard]] std::string budget_html(const Budget& budget);

}  // namespace pspllm::host
