// Generation: a prompt goes in, tokens come out one at a time. What a command line, a console screen and a
// test share.
#pragma once

#include <cstdint>
#include <span>

#include "engine/core/result.hpp"
#include "engine/model/engine.hpp"
#include "engine/model/forward.hpp"
#include "engine/model/sampler.hpp"

namespace pspllm {

/// Counts of what has been computed, for figures of speed. The caller owns the clock.
struct GeneratorCounts {
  std::uint32_t prompt_tokens = 0;     ///< passed through the model as prompt
  std::uint32_t generated_tokens = 0;  ///< sampled
  std::uint32_t drafted_tokens = 0;    ///< proposed by the draft table
  std::uint32_t accepted_tokens = 0;   ///< of those, the ones that were sampled: each saved a pass
};

/// A text in progress: positions [0, length) of engine.history hold its tokens, positions [0, cached) are in
/// the key/value cache.
struct Generator {
  Engine* engine = nullptr;
  Sampler sampler;
  LayerHook hook;
  std::uint32_t length = 0;
  std::uint32_t cached = 0;
  std::uint32_t repeat_window = 64;  ///< recent tokens that the repeat penalty looks at
  bool logits_ready = false;         ///< logits of the last token are in row logits_row of engine.logits
  std::uint32_t logits_row = 0;
  std::int32_t draft = no_token;  ///< passed through the model behind the text's last token, not yet sampled
  GeneratorCounts counts;
};

[[nodiscard]] Generator make_generator(Engine& engine, const SamplerOptions& options,
                                       const LayerHook& hook) noexcept;

/// Appends tokens to the text without computing anything yet. Errors: does_not_fit where the context would
/// overflow.
[[nodiscard]] Status append_tokens(Generator& generator, std::span<const std::int32_t> tokens) noexcept;

/// Passes all appended tokens through the model, in batches, and leaves the last one's logits ready. May be
/// stopped by the hook (interrupted) and called again.
[[nodiscard]] Status prefill(Generator& generator) noexcept;

/// Samples the next token from the ready logits and appends it. The token's own pass is made by the next
/// prefill(), so a text that ends costs none; one token more than the context can be sampled. Errors:
/// does_not_fit where the context is full, bad_input where there is no text yet, interrupted.
[[nodiscard]] Result<std::int32_t> next_token(Generator& generator) noexcept;

/// Removes the last token from the text (a sampled end of text, say). The text must keep at least one.
void take_back(Generator& generator) noexcept;

/// Forgets the text; weights and tokenizer stay.
void reset(Generator& generator) noexcept;

}  // namespace pspllm
