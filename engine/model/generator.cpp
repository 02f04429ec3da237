#include "engine/model/generator.hpp"

#include <algorithm>

namespace pspllm {
namespace {

Error context_full(const Generator& generator) noexcept {
  return does_not_fit("the context of ", generator.engine->plan.options.context, " tokens is full");
}

/// A guess at what follows the text, where one is known and there is room to check it.
std::int32_t guess_next(const Generator& generator) noexcept {
  const Engine& engine = *generator.engine;
  const PlanOptions& options = engine.plan.options;
  const bool has_room = options.batch >= 2 && options.logit_rows >= 2 && generator.length < options.context;
  return has_room ? propose(engine.draft_table, engine.history.first(generator.length)) : no_token;
}

/// The pass of the text's last token, together with a guess at the next one.
Status pass_with_draft(Generator& generator, std::int32_t draft) noexcept {
  Engine& engine = *generator.engine;
  engine.history[generator.length] = draft;
  const Status status = forward(engine, engine.history.subspan(generator.cached, 2), generator.cached,
                                LogitsFor::all_tokens, generator.hook);
  if (!status) return status;
  ++generator.cached;
  ++generator.counts.drafted_tokens;
  generator.draft = draft;
  return {};
}

}  // namespace

Generator make_generator(Engine& engine, const SamplerOptions& options, const LayerHook& hook) noexcept {
  Generator generator;
  generator.engine = &engine;
  generator.sampler = make_sampler(options, engine.candidates);
  generator.hook = hook;
  return generator;
}

Status append_tokens(Generator& generator, std::span<const std::int32_t> tokens) noexcept {
  const std::uint32_t context = generator.engine->plan.options.context;
  if (generator.length + tokens.size() > context) {
    return does_not_fit("the text would have ", generator.length + tokens.size(),
                        " tokens, the context holds ", context, "; shorten it or use a longer context");
  }
  std::copy(tokens.begin(), tokens.end(), generator.engine->history.subspan(generator.length).begin());
  generator.length += static_cast<std::uint32_t>(tokens.size());
  if (!tokens.empty()) generator.logits_ready = false;
  return {};
}

Status prefill(Generator& generator) noexcept {
  Engine& engine = *generator.engine;
  if (generator.length > engine.plan.options.context) return context_full(generator);
  const bool is_prompt = generator.length - generator.cached > 1;
  generator.logits_row = 0;
  generator.draft = no_token;
  if (generator.length - generator.cached == 1) {
    if (const std::int32_t draft = guess_next(generator); draft != no_token) {
      if (Status status = pass_with_draft(generator, draft); !status) return status;
      generator.logits_ready = true;
    }
  }
  while (generator.cached < generator.length) {
    const std::uint32_t count = std::min(generator.length - generator.cached, engine.plan.options.batch);
    const bool is_last = generator.cached + count == generator.length;
    const Status status = forward(engine, engine.history.subspan(generator.cached, count), generator.cached,
                                  is_last ? LogitsFor::last_token : LogitsFor::none, generator.hook);
    if (!status) return status;
    generator.cached += count;
    if (is_prompt) generator.counts.prompt_tokens += count;
    generator.logits_ready = is_last;
  }
  return {};
}

Result<std::int32_t> next_token(Generator& generator) noexcept {
  if (generator.length == 0) return bad_input("there is no text to go on with; append at least one token");
  if (!generator.logits_ready) {
    if (Status status = prefill(generator); !status) return status;
  }
  const std::uint32_t vocab_size = generator.engine->config.vocab_size;
  const std::uint32_t window = std::min(generator.length, generator.repeat_window);
  const auto recent = generator.engine->history.subspan(generator.length - window, window);
  const auto logits =
      generator.engine->logits.subspan(std::size_t{generator.logits_row} * vocab_size, vocab_size);
  const std::int32_t token = sample(generator.sampler, logits, recent, *generator.engine->kernels);
  generator.engine->history[generator.length++] = token;
  // A right guess has been through the model already: its logits are the next row.
  generator.logits_ready = token == generator.draft;
  generator.logits_row = 1;
  generator.draft = no_token;
  if (generator.logits_ready) {
    ++generator.cached;
    ++generator.counts.accepted_tokens;
  }
  ++generator.counts.generated_tokens;
  return token;
}

void take_back(Generator& generator) noexcept {
  --generator.length;
  // The token that is now last passes once more: its logits have been sampled from and are gone.
  generator.cached = std::min(generator.cached, generator.length - 1);
  generator.logits_ready = false;
}

void reset(Generator& generator) noexcept {
  generator.length = 0;
  generator.cached = 0;
  generator.logits_ready = false;
  generator.counts = {};
}

}  // namespace pspllm
