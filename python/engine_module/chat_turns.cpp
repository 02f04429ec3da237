#include "python/engine_module/chat_turns.hpp"

#include "host/core/failure.hpp"
#include "host/generation/answer_text.hpp"
#include "host/generation/chat_conversation.hpp"
#include "host/generation/own_chat_template.hpp"
#include "host/generation/prompt_text.hpp"
#include "host/generation/story_session.hpp"
#include "host/io/interrupt.hpp"

namespace pspllm::python {
namespace {

std::unique_ptr<host::Conversation> make_conversation(PythonModel& model, const SamplerOptions& sampler,
                                                      std::uint32_t max_turn_tokens,
                                                      const std::optional<std::string>& system) {
  Engine& engine = model.engine();
  const std::optional<ChatTemplate> chat_template = host::own_chat_template(model.loaded());
  if (!chat_template) {
    if (system)
      throw host::Failure("a system prompt needs a model with a chat template; this one tells stories");
    return std::make_unique<host::StorySession>(engine, sampler, host::interrupt_hook(), max_turn_tokens);
  }
  auto chat = std::make_unique<host::ChatConversation>(engine, *chat_template, sampler,
                                                       host::interrupt_hook(), max_turn_tokens);
  chat->set_system(system);
  return chat;
}

}  // namespace

ChatTurns::ChatTurns(std::shared_ptr<PythonModel> model, const SamplerOptions& sampler,
                     std::uint32_t max_turn_tokens, const std::optional<std::string>& system)
    : model_(std::move(model)),
      conversation_(make_conversation(*model_, sampler, max_turn_tokens, system)),
      claim_(model_->claim()) {}

std::string ChatTurns::say(const std::string& text, const Listener& listener) {
  model_->require_claim(claim_);
  host::require_no_zero_byte(text, "the text");
  host::AnswerText answer(model_->engine().tokenizer, listener);
  const Result<host::TextEnd> end = conversation_->say(text, answer);
  host::require(end.status());
  answer.finish();
  end_ = host::name_of(end.value());
  return answer.text();
}

void ChatTurns::reset() {
  claim_ = model_->claim();
  conversation_->reset();
}

}  // namespace pspllm::python
