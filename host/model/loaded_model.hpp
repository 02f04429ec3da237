// A model ready to run on a PC: opened files, one memory block, the engine in it.
#pragma once

#include <memory>
#include <string>

#include "engine/model/engine.hpp"
#include "engine/ops/kernels.hpp"
#include "host/model/compute.hpp"
#include "host/model/memory_block.hpp"
#include "host/model/opened_model.hpp"

namespace pspllm::host {

class LoadedModel {
 public:
  /// Plans, allocates and loads, with a progress bar. `options.tokenizer_file_bytes` is filled in here.
  /// largest_block: bytes that the block may have; 0: any. Throws Failure (damaged files, vocabulary
  /// mismatch, too little memory, a block larger than that) or Interrupted.
  LoadedModel(OpenedModel opened, PlanOptions options, const ComputeOptions& compute,
              std::uint64_t largest_block = 0);

  [[nodiscard]] Engine& engine() noexcept { return *engine_; }
  [[nodiscard]] const ModelFile& file() const noexcept { return opened_.file; }
  [[nodiscard]] const std::string& model_path() const noexcept { return opened_.model->path(); }
  [[nodiscard]] const std::string& tokenizer_path() const noexcept { return opened_.tokenizer_path(); }
  [[nodiscard]] std::uint32_t thread_count() const noexcept { return compute_.thread_count(); }

 private:
  OpenedModel opened_;
  Compute compute_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<MemoryBlock> block_;
};

/// Multiply-adds of the matrices for one generated token.
[[nodiscard]] std::uint64_t multiply_adds_per_token(const ModelFile& file);
/// Bytes of weights that one generated token streams through the kernels: every matrix once, one row of the
/// embedding.
[[nodiscard]] std::uint64_t weight_bytes_per_token(const ModelFile& file);

}  // namespace pspllm::host
