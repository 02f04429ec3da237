#include "host/generation/own_chat_template.hpp"

#include "host/core/failure.hpp"

namespace pspllm::host {

std::optional<ChatTemplate> own_chat_template(LoadedModel& model) {
  const Engine& engine = model.engine();
  if (engine.chat.empty()) return std::nullopt;
  ChatTemplate chat_template;
  require(read_chat_template(engine.chat, engine.config.vocab_size, chat_template), model.model_path());
  return chat_template;
}

ChatTemplate require_own_chat_template(LoadedModel& model) {
  const std::optional<ChatTemplate> chat_template = own_chat_template(model);
  if (chat_template) return *chat_template;
  throw Failure(model.model_path() +
                " has no chat template, so it holds no conversation; pspllm convert --template gives it one");
}

}  // namespace pspllm::host
