// An engine in memory, loaded from bytes: what tests of the transformer and of generation start from.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/model/engine.hpp"

namespace pspllm::testing {

/// Owns files, block and engine; stays where it is, since the engine points into it.
class TestEngine {
 public:
  /// Loads with the reference kernels. status() says whether that worked.
  TestEngine(std::string model, std::string tokenizer, const PlanOptions& options,
             const Kernels& kernels = reference_kernels())
      : model_(std::move(model)), tokenizer_(std::move(tokenizer)) {
    model_bytes_ = std::as_bytes(std::span(model_));
    tokenizer_bytes_ = std::as_bytes(std::span(tokenizer_));
    EngineSources sources;
    sources.model = memory_source(&model_bytes_);
    sources.tokenizer = memory_source(&tokenizer_bytes_);
    status_ = read_model_file(sources.model, *file_);
    if (!status_) return;
    PlanOptions complete = options;
    complete.tokenizer_file_bytes = tokenizer_.size();
    MemoryPlan plan;
    status_ = plan_memory(*file_, complete, kernels, plan);
    if (!status_) return;
    memory_.resize(static_cast<std::size_t>(plan.total_bytes / block_alignment));
    status_ =
        load_engine(sources, *file_, plan, kernels, std::as_writable_bytes(std::span(memory_)), {}, *engine_);
  }
  TestEngine(const TestEngine&) = delete;
  TestEngine& operator=(const TestEngine&) = delete;

  [[nodiscard]] const Status& status() const { return status_; }
  [[nodiscard]] Engine& engine() { return *engine_; }
  [[nodiscard]] const ModelFile& file() const { return *file_; }

 private:
  struct alignas(block_alignment) Line {
    std::byte bytes[block_alignment];
  };

  std::string model_;
  std::string tokenizer_;
  std::span<const std::byte> model_bytes_;
  std::span<const std::byte> tokenizer_bytes_;
  std::unique_ptr<ModelFile> file_ = std::make_unique<ModelFile>();
  std::vector<Line> memory_;
  std::unique_ptr<Engine> engine_ = std::make_unique<Engine>();
  Status status_;
};

}  // namespace pspllm::testing
