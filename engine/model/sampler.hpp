// From logits to a token: greedy, multinomial, top-p, with runq.c's random numbers and order of operations.
#pragma once

#include <cstdint>
#include <span>

#include "engine/ops/kernels.hpp"

namespace pspllm {

/// A probability and whose it is: what top-p sampling orders.
struct Candidate {
  float probability = 0.0F;
  std::int32_t token = 0;
};

struct SamplerOptions {
  float temperature = 1.0F;  ///< 0: always the likeliest token
  float top_p = 0.9F;        ///< keep the likeliest tokens that together exceed this; <= 0 or >= 1: keep all
  std::uint64_t seed = 1;    ///< not 0
  /// Logits of recent tokens are divided (where positive) or multiplied (where negative) by this; 1: off, the
  /// reference's text untouched. From the CTRL paper (Keskar et al. 2019, section 4.1).
  float repeat_penalty = 1.0F;
};

struct Sampler {
  SamplerOptions options;
  std::uint64_t random_state = 1;
  std::span<Candidate> candidates;  // [vocab_size], scratch
};

[[nodiscard]] Sampler make_sampler(const SamplerOptions& options, std::span<Candidate> candidates) noexcept;

/// Chooses a token; logits [vocab_size] are overwritten. `recent`: tokens that the repeat penalty looks at.
[[nodiscard]] std::int32_t sample(Sampler& sampler, std::span<float> logits,
                                  std::span<const std::int32_t> recent, const Kernels& kernels) noexcept;

/// xorshift64* as runq.c uses it (Marsaglia 2003; Vigna 2016): the upper 32 bits.
[[nodiscard]] std::uint32_t random_u32(std::uint64_t& state) noexcept;
/// A float in [0, 1) with 24 random bits.
[[nodiscard]] float random_float(std::uint64_t& state) noexcept;

}  // namespace pspllm
