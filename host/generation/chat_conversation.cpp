#include "host/generation/chat_conversation.hpp"

namespace pspllm::host {

Result<TextEnd> ChatConversation::say(std::string_view text, TextListener& listener) {
  const std::optional<std::string_view> system =
      system_ ? std::optional<std::string_view>(*system_) : std::nullopt;
  if (Status status = begin_turn(generator(), template_, system, text); !status) return status;
  if (Status status = prefill(generator()); !status) return ended_by(status.error());
  listener.prompt_done();
  const std::uint32_t limit = longest_answer();
  for (std::uint32_t i = 0; i < limit; ++i) {
    const std::int32_t previous = generator().engine->history[generator().length - 1];
    const Result<AnswerStep> step = next_answer_token(generator(), template_);
    if (!step) return ended_by(step.error());
    if (step.value().ended) return TextEnd::answer_done;
    listener.token(previous, step.value().token);
  }
  return TextEnd::steps_done;
}

}  // namespace pspllm::host
