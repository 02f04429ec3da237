#include "python/engine_module/text_stream.hpp"

#include <fmt/format.h>

#include <utility>

#include "host/core/failure.hpp"
#include "host/io/interrupt.hpp"

namespace pspllm::python {
namespace {

std::uint32_t checked_steps(std::uint32_t steps, std::size_t prompt_tokens, std::uint32_t context) {
  if (prompt_tokens == 0) {
    throw host::Failure("this vocabulary has no token that begins a text; give a prompt that is not empty");
  }
  const std::uint32_t resolved = steps == 0 || steps > context ? context : steps;
  if (prompt_tokens <= resolved) return resolved;
  throw host::Failure(fmt::format(
      "the prompt has {} tokens (with the one that begins a text), which leaves no room in {} steps and a "
      "context of {}; shorten it, or give more",
      prompt_tokens, resolved, context));
}

}  // namespace

TextStream::TextStream(std::shared_ptr<PythonModel> model, std::vector<std::int32_t> prompt,
                       const SamplerOptions& sampler, std::uint32_t steps)
    : model_(std::move(model)),
      prompt_(std::move(prompt)),
      steps_(checked_steps(steps, prompt_.size(), model_->engine().plan.options.context)),
      claim_(model_->claim()),
      generator_(make_generator(model_->engine(), sampler, host::interrupt_hook())) {}

void TextStream::token(std::int32_t previous, std::int32_t token) {
  ready_ += writer_.add(model_->engine().tokenizer, previous, token);
  if (is_prompt_done_) ++generated_tokens_;
}

/// The prompt with the token after it, then one token a time.
void TextStream::advance() {
  const bool stops_at_eos = true;
  Result<host::TextEnd> end = host::TextEnd::steps_done;
  if (!begun_) {
    begun_ = true;
    end = host::generate_text(generator_, {prompt_, prompt_tokens(), stops_at_eos}, *this);
  } else {
    end = host::go_on(generator_, 1, stops_at_eos, *this);
  }
  host::require(end.status());
  const bool is_last = prompt_tokens() - 1 + generated_tokens_ >= steps_;
  if (end.value() != host::TextEnd::steps_done || is_last) {
    end_ = end.value();
    ready_ += writer_.finish();
  }
}

std::optional<std::string> TextStream::next() {
  if (!end_) model_->require_claim(claim_);
  while (ready_.empty() && !end_) advance();
  if (ready_.empty()) return std::nullopt;
  return std::exchange(ready_, {});
}

}  // namespace pspllm::python
