#include "python/engine_module/chat_turns.hpp"

#include <utility>

#include "host/core/failure.hpp"
#include "host/generation/chat_conversation.hpp"
#include "host/generation/prompt_text.hpp"
#include "host/generation/story_session.hpp"
#include "host/io/interrupt.hpp"

namespace pspllm::python {
namespace {

std::unique_ptr<host::Conversation> make_conversation(PythonModel& model, const SamplerOptions& sampler,
                                                      std::uint32_t max_turn_tokens,
                                                      const std::optional<std::string>& system) {
  Engine& engine = model.engine();
  if (engine.chat.empty()) {
    if (system)
      throw host::Failure("a system prompt needs a model with a chat template; this one tells stories");
    return std::make_unique<host::StorySession>(engine, sampler, host::interrupt_hook(), max_turn_tokens);
  }
  ChatTemplate chat_template;
  host::require(read_chat_template(engine.chat, engine.config.vocab_size, chat_template),
                model.loaded().model_path());
  auto chat = std::make_unique<host::ChatConversation>(engine, chat_template, sampler, host::interrupt_hook(),
                                                       max_turn_tokens);
  chat->set_system(system);
  return chat;
}

}  // namespace

ChatTurns::ChatTurns(std::shared_ptr<PythonModel> model, const SamplerOptions& sampler,
                     std::uint32_t max_turn_tokens, const std::optional<std::string>& system)
    : model_(std::move(model)),
      conversation_(make_conversation(*model_, sampler, max_turn_tokens, system)),
      claim_(model_->claim()) {}

void ChatTurns::show(const std::string& piece) {
  if (piece.empty()) return;
  answer_ += piece;
  (*listener_)(piece);
}

void ChatTurns::token(std::int32_t previous, std::int32_t token) {
  show(writer_.add(model_->engine().tokenizer, previous, token));
}

std::string ChatTurns::say(const std::string& text, const Listener& listener) {
  model_->require_claim(claim_);
  host::require_no_zero_byte(text, "the text");
  answer_.clear();
  writer_ = {};
  listener_ = &listener;
  const Result<host::TextEnd> end = conversation_->say(text, *this);
  host::require(end.status());
  show(writer_.finish());
  end_ = host::name_of(end.value());
  return std::exchange(answer_, {});
}

void ChatTurns::reset() {
  claim_ = model_->claim();
  conversation_->reset();
}

}  // namespace pspllm::python
