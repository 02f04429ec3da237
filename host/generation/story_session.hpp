// A continued story: people and model take turns at one text, which stays in the key/value cache.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/model/generator.hpp"
#include "host/generation/text_job.hpp"

namespace pspllm::host {

/// One conversation with a model that has no chat template.
class StorySession {
 public:
  /// The engine must outlive the session. max_turn_tokens: longest answer.
  StorySession(Engine& engine, const SamplerOptions& options, const LayerHook& hook,
               std::uint32_t max_turn_tokens);

  /// Adds what the person says to the story and lets the model go on until the text ends, the turn's length
  /// is reached, the context is full, or the hook stops it. `listener` hears the generated tokens alone.
  /// Errors: does_not_fit, with the numbers, where the addition leaves no room; the story is then unchanged.
  [[nodiscard]] Result<TextEnd> say(std::string_view text, TextListener& listener);

  /// Begins a new story.
  void reset();

  /// Of the whole story, those that a rolling window has lost sight of too.
  [[nodiscard]] std::uint32_t used_tokens() const noexcept {
    return generator_.window.forgotten + generator_.length;
  }
  [[nodiscard]] std::uint32_t context() const noexcept { return generator_.engine->plan.options.context; }
  [[nodiscard]] bool is_full() const noexcept { return !rolls() && used_tokens() >= context(); }

 private:
  [[nodiscard]] bool rolls() const noexcept { return generator_.engine->plan.rolling; }

  Generator generator_;
  std::uint32_t max_turn_tokens_;
};

}  // namespace pspllm::host
