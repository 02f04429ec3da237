// Generation: a prompt goes in, tokens come out one at a time. What a command line, a console screen and a
// test share.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "engine/core/result.hpp"
#include "engine/model/engine.hpp"
#include "engine/model/forward.hpp"
#include "engine/model/sampler.hpp"

namespace pspllm {

/// Counts of what has been computed, for figures of speed. The caller owns the clock.
struct GeneratorCounts {
  std::uint32_t passed_tokens = 0;     ///< passed through the model, drafts left out
  std::uint32_t prompt_tokens = 0;     ///< of those, the prompt's
  std::uint32_t generated_tokens = 0;  ///< sampled
  std::uint32_t drafted_tokens = 0;    ///< proposed by the draft table
  std::uint32_t accepted_tokens = 0;   ///< of those, the ones that were sampled: each saved a pass
  std::uint32_t renewed_tokens = 0;    ///< passed through the model again to renew a rolling window
};

/// Where a text stands in a rolling window; as initialised for others.
struct RollingWindow {
  std::uint32_t forgotten = 0;       ///< tokens of the text that engine.history holds no more
  std::int32_t shift = 0;            ///< position of a token, less its index in engine.history
  std::uint32_t written = 0;         ///< positions below may be in the cache, or parts of them
  std::uint32_t renewing_until = 0;  ///< tokens before this index are passed again, not for the first time
};

/// Guesses that were passed through the model behind the text's last token.
struct PassedDrafts {
  std::array<std::int32_t, most_drafts> tokens{};
  std::uint32_t count = 0;
  std::uint32_t next = 0;  ///< the one that the next sampled token is compared with
};

/// A text in progress: engine.history holds its latest `length` tokens, of which those before `cached` are in
/// the key/value cache or were there. Without a rolling window these are all tokens, each at the position of
/// its index.
struct Generator {
  Engine* engine = nullptr;
  Sampler sampler;
  LayerHook hook;
  std::uint32_t length = 0;
  std::uint32_t cached = 0;
  RollingWindow window;
  std::uint32_t repeat_window = 64;  ///< recent tokens that the repeat penalty looks at
  std::uint32_t repeat_from =
      0;                      ///< tokens of the text that it never looks at: a conversation's up to an answer
  bool logits_ready = false;  ///< logits of the last token are in row logits_row of engine.logits
  std::uint32_t logits_row = 0;
  PassedDrafts drafts;
  GeneratorCounts counts;
};

[[nodiscard]] Generator make_generator(Engine& engine, const SamplerOptions& options,
                                       const LayerHook& hook) noexcept;

/// Tokens that append_tokens() takes now. A rolling window takes what fits the rest of its first lap, or
/// else half of itself: so much is in sight whole, wherever the window is renewed.
[[nodiscard]] std::uint32_t free_tokens(const Generator& generator) noexcept;

/// No token can be sampled any more: the context is full and does not roll.
[[nodiscard]] bool is_full(const Generator& generator) noexcept;

/// Appends tokens to the text without computing anything yet. Errors: does_not_fit where they are more than
/// free_tokens(); the text is then unchanged.
[[nodiscard]] Status append_tokens(Generator& generator, std::span<const std::int32_t> tokens) noexcept;

/// Passes all appended tokens through the model, in batches, and leaves the last one's logits ready. May be
/// stopped by the hook (interrupted) and called again. Where positions have reached the plan's limit, the
/// window is renewed first: its last half is passed again behind the sinks.
[[nodiscard]] Status prefill(Generator& generator) noexcept;

/// Samples the next token from the ready logits and appends it. The token's own pass is made by the next
/// prefill(), so a text that ends costs none; one token more than the context can be sampled. Errors:
/// does_not_fit where the text is_full(), bad_input where there is no text yet, interrupted.
[[nodiscard]] Result<std::int32_t> next_token(Generator& generator) noexcept;

/// Removes the last token from the text (a sampled end of text, say). The text must keep at least one.
void take_back(Generator& generator) noexcept;

/// Forgets the text; weights and tokenizer stay.
void reset(Generator& generator) noexcept;

}  // namespace pspllm
