#include "python/engine_module/memory_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/ops/psp/vfpu_kernels.hpp"
#include "host/core/failure.hpp"
#include "host/core/units.hpp"
#include "host/model/opened_model.hpp"
#include "host/report/budget.hpp"

namespace pspllm::python {
namespace {

host::Device device_of(const MemoryRequest& request, const std::string& title) {
  if (request.partition_bytes > 0) return {"limit", title, request.partition_bytes};
  const auto device =
      std::find_if(host::devices.begin(), host::devices.end(),
                   [&](const host::Device& candidate) { return candidate.name == request.device; });
  if (device != host::devices.end()) return *device;
  throw host::Failure(fmt::format("{} is no device; choose psp1000 or psp2000", request.device));
}

nlohmann::json shape_json(const ModelConfig& config) {
  return {{"dim", config.dim},         {"hidden_dim", config.hidden_dim}, {"n_layers", config.n_layers},
          {"n_heads", config.n_heads}, {"n_kv_heads", config.n_kv_heads}, {"vocab_size", config.vocab_size},
          {"seq_len", config.seq_len}};
}

/// Weights that every token passes through, by the number format of their matrices.
nlohmann::json matrix_weights_json(const ModelFile& file) {
  nlohmann::json counts = nlohmann::json::object();
  for (const TensorEntry& tensor : file.tensors()) {
    const bool is_norm = tensor.role == TensorRole::attention_norm || tensor.role == TensorRole::ffn_norm ||
                         tensor.role == TensorRole::final_norm;
    const bool is_only_looked_up = tensor.role == TensorRole::token_embedding && !file.config.tied_classifier;
    if (is_norm || is_only_looked_up) continue;
    const std::string name = tensor.format == TensorFormat::codes
                                 ? fmt::format("codes, {} weights a byte", tensor.group_size)
                                 : name_of(tensor.format);
    const std::uint64_t before = counts.value(name, std::uint64_t{0});
    counts[name] = before + std::uint64_t{tensor.rows} * tensor.cols;
  }
  return counts;
}

nlohmann::json report_of(const MemoryRequest& request, ModelFile& file, std::uint64_t tokenizer_bytes) {
  PlanOptions options = request.plan;
  options.tokenizer_file_bytes = tokenizer_bytes;
  MemoryPlan plan;
  host::require(plan_memory(file, options, psp::vfpu_kernels(), plan), request.path);
  const std::string title = "limit of " + host::binary_size(request.partition_bytes);
  const std::string name = std::filesystem::path(request.path).filename().string();
  const host::Budget budget = host::make_budget(device_of(request, title), name, file, plan);
  nlohmann::json report = host::budget_json(budget);
  report["verdict"] = host::verdict(budget);
  report["shape"] = shape_json(file.config);
  report["bits_per_weight"] = bits_per_weight(file);
  report["matrix_weights"] = matrix_weights_json(file);
  report["file_bytes"] = file.file_bytes;
  return report;
}

}  // namespace

nlohmann::json memory_report(const MemoryRequest& request) {
  if (request.numbers) {
    ModelFile file = planned_file(host::open_checkpoint(request.path, request.tokenizer), *request.numbers);
    return report_of(request, file, 0);
  }
  host::OpenedModel opened = host::open_model(request.path, request.tokenizer);
  return report_of(request, opened.file, opened.tokenizer_bytes());
}

}  // namespace pspllm::python
