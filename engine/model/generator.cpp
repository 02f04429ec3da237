#include "engine/model/generator.hpp"

#include <algorithm>

#include "engine/model/window.hpp"

namespace pspllm {
namespace {

Error context_full(const Generator& generator) noexcept {
  return does_not_fit("the context of ", generator.engine->plan.options.context, " tokens is full");
}

/// The position of the next token to be passed.
std::uint32_t next_position(const Generator& generator) noexcept {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(generator.cached) + generator.window.shift);
}

Placement next_placement(const Generator& generator) noexcept {
  return placement(next_position(generator), generator.engine->plan.options.context);
}

/// Positions are at their end; or tokens were taken back, and what the next one sees is overwritten by them
/// or has never been in this window.
bool must_renew(const Generator& generator) noexcept {
  const MemoryPlan& plan = generator.engine->plan;
  if (!plan.rolling) return false;
  const RollingWindow& window = generator.window;
  const std::uint32_t position = next_position(generator);
  const bool was_renewed = window.shift != static_cast<std::int32_t>(window.forgotten);
  return position >= plan.position_limit || (was_renewed && position < sink_tokens) ||
         window.written > position + next_placement(generator).room;
}

/// Tokens that have been appended and not passed yet.
std::uint32_t pending_tokens(const Generator& generator) noexcept {
  return generator.length - std::max(generator.cached, generator.window.renewing_until);
}

/// The sinks stay in the cache; what follows them is passed again from the start, or from half a window back.
void renew(Generator& generator) noexcept {
  const std::uint32_t half = renewed_tokens(generator.engine->plan.options.context);
  RollingWindow& window = generator.window;
  window.renewing_until = std::max(generator.cached, window.renewing_until);
  const bool reaches_start = window.forgotten == 0 && generator.cached <= half + sink_tokens;
  generator.cached -= reaches_start ? generator.cached : std::min(generator.cached, half);
  window.shift = reaches_start
                     ? 0
                     : static_cast<std::int32_t>(sink_tokens) - static_cast<std::int32_t>(generator.cached);
  window.written = next_position(generator);
}

/// Forgets the oldest tokens where `count` more, and one after them, would not fit the history. What a window
/// is renewed from and what the repeat penalty looks at stay.
void make_room(Generator& generator, std::uint32_t count) noexcept {
  const std::span<std::int32_t> history = generator.engine->history;
  if (!generator.engine->plan.rolling || generator.length + count < history.size()) return;
  const std::uint32_t quarter = generator.engine->plan.options.context / 4;
  const std::uint32_t forgotten =
      generator.length + count + 1 - static_cast<std::uint32_t>(history.size()) + quarter;
  std::copy(history.begin() + forgotten, history.begin() + generator.length, history.begin());
  generator.length -= forgotten;
  generator.cached -= forgotten;
  RollingWindow& window = generator.window;
  window.forgotten += forgotten;
  window.shift += static_cast<std::int32_t>(forgotten);
  window.renewing_until -= std::min(window.renewing_until, forgotten);
}

/// Guesses at what follows the text, as many as are known and there is room to check. They stand behind the
/// text in the history.
PassedDrafts guess_next(const Generator& generator) noexcept {
  const Engine& engine = *generator.engine;
  const PlanOptions& options = engine.plan.options;
  const std::span<std::int32_t> history = engine.history;
  // Those of the pass, the text's last token among them.
  const std::uint32_t room =
      std::min({most_drafts + 1, options.batch, options.logit_rows, next_placement(generator).room,
                engine.plan.position_limit - next_position(generator),
                static_cast<std::uint32_t>(history.size()) - generator.length + 1});
  PassedDrafts drafts;
  while (drafts.count + 1 < room) {
    const std::uint32_t end = generator.length + drafts.count;
    const std::int32_t guess = propose(engine.draft_table, history.first(end));
    if (guess == no_token) break;
    history[end] = guess;
    drafts.tokens[drafts.count++] = guess;
  }
  return drafts;
}

/// Passes the tokens from `cached` on.
Status pass(Generator& generator, std::uint32_t count, LogitsFor logits_for) noexcept {
  Engine& engine = *generator.engine;
  const std::uint32_t position = next_position(generator);
  generator.window.written = std::max(generator.window.written, position + count);
  return forward(engine, engine.history.subspan(generator.cached, count), position, logits_for,
                 generator.hook);
}

/// The pass of the text's last token, together with guesses at the next ones.
Status pass_with_drafts(Generator& generator, const PassedDrafts& drafts) noexcept {
  if (Status status = pass(generator, 1 + drafts.count, LogitsFor::all_tokens); !status) return status;
  ++generator.cached;
  ++generator.counts.passed_tokens;
  generator.counts.drafted_tokens += drafts.count;
  generator.drafts = drafts;
  return {};
}

/// Tokens of the next pass: as few passes as possible, of equal length, since a short last one would read all
/// weights for a token or two.
std::uint32_t batch_tokens(const Generator& generator) noexcept {
  const std::uint32_t pending = generator.length - generator.cached;
  const std::uint32_t most = generator.engine->plan.options.batch;
  const std::uint32_t passes = (pending + most - 1) / most;
  const std::uint32_t limit = generator.engine->plan.position_limit - next_position(generator);
  return std::min({(pending + passes - 1) / passes, limit, next_placement(generator).room});
}

/// The next batch of a prompt, or the last token alone.
Status pass_batch(Generator& generator, bool is_prompt) noexcept {
  const std::uint32_t count = batch_tokens(generator);
  const bool is_last = generator.cached + count == generator.length;
  if (Status status = pass(generator, count, is_last ? LogitsFor::last_token : LogitsFor::none); !status) {
    return status;
  }
  const std::uint32_t end = generator.cached + count;
  const std::uint32_t renewed =
      std::min(end, std::max(generator.window.renewing_until, generator.cached)) - generator.cached;
  generator.counts.passed_tokens += count;
  generator.counts.renewed_tokens += renewed;
  if (is_prompt) generator.counts.prompt_tokens += count - renewed;
  generator.cached = end;
  generator.logits_ready = is_last;
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

std::uint32_t free_tokens(const Generator& generator) noexcept {
  const MemoryPlan& plan = generator.engine->plan;
  const std::uint32_t context = plan.options.context;
  const std::uint32_t pending = pending_tokens(generator);
  const std::uint32_t end = next_position(generator) + generator.length - generator.cached;
  const std::uint32_t first_lap = end < context ? context - end : 0;
  if (!plan.rolling) return first_lap;
  const std::uint32_t half = renewed_tokens(context);
  return std::max(first_lap, pending < half ? half - pending : 0);
}

bool is_full(const Generator& generator) noexcept {
  const MemoryPlan& plan = generator.engine->plan;
  return !plan.rolling && generator.length > plan.options.context;
}

Status append_tokens(Generator& generator, std::span<const std::int32_t> tokens) noexcept {
  const MemoryPlan& plan = generator.engine->plan;
  const std::uint32_t context = plan.options.context;
  if (tokens.size() > free_tokens(generator)) {
    if (plan.rolling) {
      return does_not_fit("this has ", tokens.size(), " tokens, the window of ", context, " takes ",
                          free_tokens(generator), " at once here; say it shorter or use a longer context");
    }
    return does_not_fit("the text would have ", generator.length + tokens.size(),
                        " tokens, the context holds ", context, "; shorten it or use a longer context");
  }
  const auto count = static_cast<std::uint32_t>(tokens.size());
  make_room(generator, count);
  std::copy(tokens.begin(), tokens.end(), generator.engine->history.subspan(generator.length).begin());
  generator.length += count;
  if (count > 0) generator.logits_ready = false;
  return {};
}

Status prefill(Generator& generator) noexcept {
  if (is_full(generator)) return context_full(generator);
  const bool is_prompt = pending_tokens(generator) > 1;
  generator.logits_row = 0;
  generator.drafts = {};
  if (generator.length - generator.cached == 1 && !must_renew(generator)) {
    if (const PassedDrafts drafts = guess_next(generator); drafts.count > 0) {
      if (Status status = pass_with_drafts(generator, drafts); !status) return status;
      generator.logits_ready = true;
    }
  }
  while (generator.cached < generator.length) {
    if (must_renew(generator)) renew(generator);
    if (Status status = pass_batch(generator, is_prompt); !status) return status;
  }
  return {};
}

Result<std::int32_t> next_token(Generator& generator) noexcept {
  if (generator.length == 0) return bad_input("there is no text to go on with; append at least one token");
  if (!generator.logits_ready) {
    if (Status status = prefill(generator); !status) return status;
  }
  make_room(generator, 1);
  const std::uint32_t vocab_size = generator.engine->config.vocab_size;
  const std::uint32_t said = generator.window.forgotten + generator.length;
  const std::uint32_t window =
      std::min({generator.length, generator.repeat_window, said - std::min(said, generator.repeat_from)});
  const auto recent = generator.engine->history.subspan(generator.length - window, window);
  const auto logits =
      generator.engine->logits.subspan(std::size_t{generator.logits_row} * vocab_size, vocab_size);
  const std::int32_t token = sample(generator.sampler, logits, recent, *generator.engine->kernels);
  generator.engine->history[generator.length++] = token;
  // A right guess has been through the model already: its logits are the next row.
  PassedDrafts& drafts = generator.drafts;
  generator.logits_ready = drafts.next < drafts.count && token == drafts.tokens[drafts.next];
  generator.logits_row = ++drafts.next;
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
  generator.window.renewing_until = std::min(generator.window.renewing_until, generator.length);
  generator.logits_ready = false;
}

void reset(Generator& generator) noexcept {
  generator.length = 0;
  generator.cached = 0;
  generator.window = {};
  generator.repeat_from = 0;
  generator.logits_ready = false;
  generator.counts = {};
}

}  // namespace pspllm
