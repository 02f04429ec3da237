#include "host/model/loaded_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/core/failure.hpp"
#include "host/core/units.hpp"
#include "host/io/progress_bar.hpp"

namespace pspllm::host {
namespace {

void check_machine_memory(const MemoryPlan& plan) {
  // Only the weights are sure to be touched; the rest costs what a text uses of it.
  const std::uint64_t weights = plan.region(RegionId::weights).bytes;
  const std::uint64_t machine = physical_memory_bytes();
  if (weights <= machine) return;
  throw Failure(fmt::format("the weights take {}, this machine has {} of memory; use a smaller model",
                            binary_size(weights), binary_size(machine)));
}

void check_block(const MemoryPlan& plan, std::uint64_t largest_block) {
  if (plan.total_bytes <= largest_block) return;
  throw Failure(fmt::format(
      "the engine's block would take {} bytes, {} are allowed; use a shorter context or a smaller model",
      grouped(plan.total_bytes), grouped(largest_block)));
}

/// An embedding that is not the classifier too: a token reads one row of it.
bool is_only_looked_up(const TensorEntry& tensor, const ModelConfig& config) {
  return tensor.role == TensorRole::token_embedding && !config.tied_classifier;
}

}  // namespace

LoadedModel::LoadedModel(OpenedModel opened, PlanOptions options, const ComputeOptions& compute,
                         std::uint64_t largest_block)
    : opened_(std::move(opened)),
      compute_(compute, multiply_adds_per_token(opened_.file)),
      engine_(std::make_unique<Engine>()) {
  options.tokenizer_file_bytes = opened_.tokenizer_bytes();
  const ByteSource draft_table = opened_.draft_table ? opened_.draft_table->source() : ByteSource{};
  options.draft_file_bytes = draft_table.size;
  // A guess is checked in one pass with the token before it: both need logits.
  if (draft_table.size > 0) options.logit_rows = std::min(options.batch, draft_logit_rows);
  MemoryPlan plan;
  require(plan_memory(opened_.file, options, compute_.kernels(), plan), opened_.model->path());
  check_machine_memory(plan);
  if (largest_block != 0) check_block(plan, largest_block);
  block_ = std::make_unique<MemoryBlock>(plan.total_bytes);
  ProgressBar bar("reading");
  const ByteSource tokenizer = opened_.tokenizer ? opened_.tokenizer->source() : ByteSource{};
  const EngineSources sources{opened_.model->source(), tokenizer, draft_table};
  require(
      load_engine(sources, opened_.file, plan, compute_.kernels(), block_->bytes(), bar.callback(), *engine_),
      opened_.model->path());
  engine_->parallel = compute_.parallel();
}

std::uint64_t multiply_adds_per_token(const ModelFile& file) {
  std::uint64_t count = 0;
  for (const TensorEntry& tensor : file.tensors()) {
    if (!is_only_looked_up(tensor, file.config)) count += std::uint64_t{tensor.rows} * tensor.cols;
  }
  return count;
}

std::uint64_t weight_bytes_per_token(const ModelFile& file) {
  std::uint64_t bytes = 0;
  for (const TensorEntry& tensor : file.tensors()) {
    bytes += is_only_looked_up(tensor, file.config) ? tensor.file_bytes() / tensor.rows : tensor.file_bytes();
  }
  return bytes;
}

}  // namespace pspllm::host
