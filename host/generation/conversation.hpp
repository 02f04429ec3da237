// What people and a model say to each other, turn by turn; it stays in the key/value cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "engine/model/generator.hpp"
#include "host/generation/text_job.hpp"

namespace pspllm::host {

class Conversation {
 public:
  virtual ~Conversation() = default;
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  /// Adds what the person says and lets the model go on until its answer ends, the turn's length is reached,
  /// the context is full, or the hook stops it. `listener` hears the generated tokens alone. Errors:
  /// does_not_fit, with the numbers, where the addition leaves no room; bad_input where it cannot be spelled;
  /// the conversation is then unchanged.
  [[nodiscard]] virtual Result<TextEnd> say(std::string_view text, TextListener& listener) = 0;

  /// Begins anew.
  void reset() { pspllm::reset(generator_); }

  /// Of the whole conversation, those that a rolling window has lost sight of too.
  [[nodiscard]] std::uint32_t used_tokens() const noexcept {
    return generator_.window.forgotten + generator_.length;
  }
  [[nodiscard]] std::uint32_t context() const noexcept { return generator_.engine->plan.options.context; }
  [[nodiscard]] bool is_full() const noexcept { return !rolls() && used_tokens() >= context(); }

 protected:
  /// The engine must outlive the conversation. max_turn_tokens: longest answer.
  Conversation(Engine& engine, const SamplerOptions& options, const LayerHook& hook,
               std::uint32_t max_turn_tokens)
      : generator_(make_generator(engine, options, hook)), max_turn_tokens_(max_turn_tokens) {}

  [[nodiscard]] Generator& generator() noexcept { return generator_; }
  [[nodiscard]] bool rolls() const noexcept { return generator_.engine->plan.rolling; }
  /// Tokens that the next answer may have.
  [[nodiscard]] std::uint32_t longest_answer() const noexcept {
    return rolls() ? max_turn_tokens_ : std::min(max_turn_tokens_, context() - generator_.length);
  }

 private:
  Generator generator_;
  std::uint32_t max_turn_tokens_;
};

}  // namespace pspllm::host
