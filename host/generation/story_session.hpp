// A continued story: people and model take turns at one text.
#pragma once

#include "host/generation/conversation.hpp"

namespace pspllm::host {

/// With a model that has no chat template.
class StorySession : public Conversation {
 public:
  StorySession(Engine& engine, const SamplerOptions& options, const LayerHook& hook,
               std::uint32_t max_turn_tokens)
      : Conversation(engine, options, hook, max_turn_tokens) {}

  [[nodiscard]] Result<TextEnd> say(std::string_view text, TextListener& listener) override;
};

}  // namespace pspllm::host
