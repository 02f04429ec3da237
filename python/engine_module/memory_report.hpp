// Where a console's memory goes, for a model as it is or as it would be at other numbers.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "engine/model/memory_plan.hpp"
#include "python/engine_module/planned_file.hpp"

namespace pspllm::python {

struct MemoryRequest {
  std::string path;  ///< any model that the engine opens; with `numbers`, any checkpoint
  std::string tokenizer;
  std::string device = "psp1000";     ///< a name of host::devices
  std::uint64_t partition_bytes = 0;  ///< memory for programs; 0: the device's
  PlanOptions plan;
  std::optional<PlannedNumbers> numbers;  ///< nothing: the file as it is
};

/// What `pspllm budget --json` prints, with "shape" (the model's hyper-parameters), "bits_per_weight",
/// "matrix_weights" (weights that a token passes through, by format) and "file_bytes" besides. Throws
/// Failure.
[[nodiscard]] nlohmann::json memory_report(const MemoryRequest& request);

}  // namespace pspllm::python
