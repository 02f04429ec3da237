// One loaded model, shared by everything in Python that uses it.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "host/model/loaded_model.hpp"

namespace pspllm::python {

/// How a model is loaded.
struct LoadOptions {
  std::string path;
  std::string tokenizer;  ///< empty: the one beside the model, or in its file
  PlanOptions plan;
  host::ComputeOptions compute;
  std::uint64_t largest_block = 0;  ///< bytes that the engine's block may have; 0: any
};

/// A model has one key/value cache. Whoever begins a text takes it over with claim(); an older text then
/// finds that the cache is no longer its own.
class PythonModel {
 public:
  explicit PythonModel(const LoadOptions& options);

  [[nodiscard]] host::LoadedModel& loaded() noexcept { return model_; }
  [[nodiscard]] Engine& engine() noexcept { return model_.engine(); }
  /// Held while the engine computes; taken without the GIL.
  [[nodiscard]] std::mutex& mutex() noexcept { return mutex_; }

  [[nodiscard]] std::uint64_t claim() noexcept { return ++claims_; }
  /// Throws Failure where another text has begun since.
  void require_claim(std::uint64_t claim) const;

  /// The text's tokens, the one that begins a text in front. Throws Failure: a zero byte, a text that is too
  /// long or that the vocabulary cannot spell.
  [[nodiscard]] std::vector<std::int32_t> encode(const std::string& text);
  /// The text of tokens, UTF-8.
  [[nodiscard]] std::string decode(std::span<const std::int32_t> tokens);
  /// Logits after every token of a text, row-major [tokens, vocab_size]. Throws Failure, Interrupted.
  void logits(std::span<const std::int32_t> tokens, std::span<float> out);

 private:
  void check_tokens(std::span<const std::int32_t> tokens);

  host::LoadedModel model_;
  std::mutex mutex_;
  std::uint64_t claims_ = 0;
};

}  // namespace pspllm::python
