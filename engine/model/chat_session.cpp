#include "engine/model/chat_session.hpp"

#include "engine/model/window.hpp"

namespace pspllm {

Status begin_turn(Generator& generator, const ChatTemplate& chat_template,
                  std::optional<std::string_view> system, std::string_view words) noexcept {
  Engine& engine = *generator.engine;
  const bool is_first = generator.length == 0;
  const auto tokens =
      encode_turn(engine.tokenizer, chat_template, {is_first, system, words}, engine.encode_scratch);
  if (!tokens) return tokens.status();
  const std::uint32_t room = free_tokens(generator);
  // Without a rolling window the answer's first token needs a place too.
  const bool rolls = engine.plan.rolling;
  if (tokens.value().size() + (rolls ? 0 : 1) > room) {
    return does_not_fit("this has ", tokens.value().size(),
                        " tokens with what stands around it, there is room "
                        "for ",
                        room, " of the context of ", engine.plan.options.context,
                        "; say it shorter or begin a new conversation");
  }
  if (Status status = append_tokens(generator, tokens.value()); !status) return status;
  // What stands around turns holds the tokens that end answers: a penalty on them would keep answers from
  // ending.
  generator.repeat_from = generator.window.forgotten + generator.length;
  return {};
}

Result<AnswerStep> next_answer_token(Generator& generator, const ChatTemplate& chat_template) noexcept {
  const Result<std::int32_t> token = next_token(generator);
  if (!token) return token.status();
  const bool ended = is_stop(chat_template, token.value());
  if (ended) take_back(generator);
  return AnswerStep{token.value(), ended};
}

bool take_back_answer(Generator& generator) noexcept {
  const std::uint32_t forgotten = generator.window.forgotten;
  const std::uint32_t answer_begin = generator.repeat_from;
  const std::uint32_t needed = renewed_tokens(generator.engine->plan.options.context);
  if (forgotten > 0 && answer_begin < forgotten + needed) return false;
  while (forgotten + generator.length > answer_begin) take_back(generator);
  return true;
}

}  // namespace pspllm
