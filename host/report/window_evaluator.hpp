// Runs one or two models over windows of tokens and gathers what they say.
#pragma once

#include <cstdint>
#include <span>

#include "engine/model/engine.hpp"
#include "host/report/evaluation.hpp"
#include "host/report/evaluation_windows.hpp"

namespace pspllm::host {

class WindowEvaluator {
 public:
  /// Adds to evaluation.model, and where there is a reference (of the same vocabulary; may be null) to its
  /// score and to what compares the two. All must outlive the object.
  WindowEvaluator(LoadedModel& model, LoadedModel* reference, Evaluation& evaluation) noexcept;

  /// A window is no longer than the models' contexts. False where the user stopped it. Throws Failure where
  /// logits are not numbers.
  [[nodiscard]] bool run(const EvaluationWindow& window);

 private:
  [[nodiscard]] std::uint32_t batch(bool is_scored) const noexcept;
  [[nodiscard]] bool forward_both(std::span<const std::int32_t> tokens, std::uint32_t position,
                                  bool is_scored);
  void add(std::span<const std::int32_t> targets, std::span<const std::uint32_t> bytes);
  void count_tokens(std::uint64_t count);

  Engine& model_;
  Engine* reference_;
  Evaluation& evaluation_;
};

}  // namespace pspllm::host
