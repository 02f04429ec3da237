#include "host/generation/text_job.hpp"

#include <algorithm>

namespace pspllm::host {

Result<TextEnd> ended_by(const Error& error) noexcept {
  if (error.kind == ErrorKind::interrupted) return TextEnd::stopped_by_user;
  return error;
}

const char* name_of(TextEnd end) noexcept {
  switch (end) {
    case TextEnd::steps_done:
      return "steps done";
    case TextEnd::begin_token:
      return "a new text began (BOS)";
    case TextEnd::end_token:
      return "the text ended (EOS)";
    case TextEnd::answer_done:
      return "the answer is complete";
    case TextEnd::stopped_by_user:
      return "stopped by the user";
  }
  return "?";
}

Result<TextEnd> go_on(Generator& generator, std::uint32_t count, bool stops_at_eos, TextListener& listener) {
  const TextCodec& codec = generator.engine->tokenizer;
  std::int32_t previous = generator.engine->history[generator.length - 1];
  for (std::uint32_t i = 0; i < count; ++i) {
    const Result<std::int32_t> token = next_token(generator);
    if (!token) return ended_by(token.error());
    if (token.value() == bos_of(codec)) return TextEnd::begin_token;
    if (stops_at_eos && token.value() == eos_of(codec)) return TextEnd::end_token;
    listener.token(previous, token.value());
    previous = token.value();
  }
  return TextEnd::steps_done;
}

Result<TextEnd> generate_text(Generator& generator, const TextJob& job, TextListener& listener) {
  const std::int32_t bos = bos_of(generator.engine->tokenizer);
  if (job.prompt[0] != bos) listener.token(no_token, job.prompt[0]);
  const std::size_t shown = std::min<std::size_t>(job.prompt.size() - 1, job.steps);
  for (std::size_t i = 0; i < shown; ++i) {
    if (job.prompt[i + 1] == bos) return TextEnd::begin_token;
    listener.token(job.prompt[i], job.prompt[i + 1]);
  }
  if (job.prompt.size() > job.steps) return TextEnd::steps_done;

  if (Status status = append_tokens(generator, job.prompt); !status) return status;
  if (Status status = prefill(generator); !status) return ended_by(status.error());
  listener.prompt_done();
  const auto last_position = static_cast<std::uint32_t>(job.prompt.size()) - 1;
  return go_on(generator, job.steps - last_position, job.stops_at_eos, listener);
}

}  // namespace pspllm::host
