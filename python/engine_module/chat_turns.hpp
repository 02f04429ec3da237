// A person and a model taking turns.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "host/generation/conversation.hpp"
#include "python/engine_module/python_model.hpp"

namespace pspllm::python {

class ChatTurns {
 public:
  /// Told of every piece of an answer, never empty; may throw, which ends the chat.
  using Listener = std::function<void(const std::string& piece)>;

  /// By the model's chat template, or one story told together where it has none. system: the system prompt;
  /// nothing: the template's own. Throws Failure where there is a system prompt but no template.
  ChatTurns(std::shared_ptr<PythonModel> model, const SamplerOptions& sampler, std::uint32_t max_turn_tokens,
            const std::optional<std::string>& system);

  /// The whole answer. A stop by the user ends it early; the chat can go on. Throws Failure where the text
  /// leaves no room (the chat is then unchanged) or another text has taken the model over.
  [[nodiscard]] std::string say(const std::string& text, const Listener& listener);
  /// Begins anew.
  void reset();

  [[nodiscard]] std::uint32_t used_tokens() const noexcept { return conversation_->used_tokens(); }
  /// How the last answer ended, or empty.
  [[nodiscard]] const std::string& end() const noexcept { return end_; }

  [[nodiscard]] PythonModel& model() noexcept { return *model_; }

 private:
  std::shared_ptr<PythonModel> model_;
  std::unique_ptr<host::Conversation> conversation_;
  std::uint64_t claim_;
  std::string end_;
};

}  // namespace pspllm::python
