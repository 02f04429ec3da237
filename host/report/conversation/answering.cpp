#include "host/report/conversation/answering.hpp"

#include <fmt/format.h>

#include "host/core/failure.hpp"
#include "host/generation/answer_text.hpp"
#include "host/generation/chat_conversation.hpp"
#include "host/io/interrupt.hpp"

namespace pspllm::host {

std::optional<Answer> answer(LoadedModel& model, const ChatTemplate& chat_template, const std::string& words,
                             const AnswerOptions& options) {
  ChatConversation conversation(model.engine(), chat_template, options.sampler, interrupt_hook(),
                                options.most_tokens);
  conversation.set_system(options.system);
  AnswerText text(model.engine().tokenizer, [](const std::string&) {});
  const Result<TextEnd> end = conversation.say(words, text);
  require(end.status(), fmt::format("{}, \"{}\"", model.model_path(), words));
  if (end.value() == TextEnd::stopped_by_user) return std::nullopt;
  text.finish();
  return Answer{text.text(), end.value() == TextEnd::answer_done, text.count()};
}

}  // namespace pspllm::host
