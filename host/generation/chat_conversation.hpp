// A conversation by the model's chat template.
#pragma once

#include <optional>
#include <string>

#include "engine/model/chat_session.hpp"
#include "host/generation/conversation.hpp"

namespace pspllm::host {

class ChatConversation : public Conversation {
 public:
  /// The engine, and the bytes that the template points to, must outlive the conversation.
  ChatConversation(Engine& engine, const ChatTemplate& chat_template, const SamplerOptions& options,
                   const LayerHook& hook, std::uint32_t max_turn_tokens)
      : Conversation(engine, options, hook, max_turn_tokens), template_(chat_template) {}

  /// The system prompt of conversations that begin from now on. Nothing: the template's own; empty: none.
  void set_system(std::optional<std::string> prompt) { system_ = std::move(prompt); }

  [[nodiscard]] Result<TextEnd> say(std::string_view text, TextListener& listener) override;

 private:
  ChatTemplate template_;
  std::optional<std::string> system_;
};

}  // namespace pspllm::host
