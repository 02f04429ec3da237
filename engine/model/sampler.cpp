#include "engine/model/sampler.hpp"

#include <algorithm>

namespace pspllm {
namespace {

void apply_repeat_penalty(std::span<float> logits, std::span<const std::int32_t> recent,
                          float penalty) noexcept {
  for (std::size_t i = 0; i < recent.size(); ++i) {
    const std::int32_t token = recent[i];
    const auto earlier = recent.first(i);
    if (std::find(earlier.begin(), earlier.end(), token) != earlier.end()) continue;
    float& logit = logits[static_cast<std::size_t>(token)];
    logit = logit > 0.0F ? logit / penalty : logit * penalty;
  }
}

std::int32_t sample_multinomial(std::span<const float> probabilities, float coin) noexcept {
  float cumulative = 0.0F;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    cumulative += probabilities[i];
    if (coin < cumulative) return static_cast<std::int32_t>(i);
  }
  return static_cast<std::int32_t>(probabilities.size()) - 1;
}

/// Order of a max-heap: likelier first, equal ones in vocabulary order, as glibc's stable qsort leaves them.
bool less_likely(const Candidate& a, const Candidate& b) noexcept {
  if (a.probability != b.probability) return a.probability < b.probability;
  return a.token > b.token;
}

std::int32_t sample_top_p(std::span<const float> probabilities, float top_p, std::span<Candidate> candidates,
                          float coin) noexcept {
  // A token below the cutoff cannot be among those kept.
  const float cutoff =
      (1.0F - top_p) / static_cast<float>(static_cast<std::int32_t>(probabilities.size()) - 1);
  std::size_t count = 0;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    if (probabilities[i] >= cutoff) candidates[count++] = {probabilities[i], static_cast<std::int32_t>(i)};
  }
  if (count == 0) return static_cast<std::int32_t>(probabilities.size()) - 1;
  // Only as much of the order as is needed: pop from a heap until the kept mass exceeds top_p.
  const auto begin = candidates.begin();
  auto heap_end = begin + static_cast<std::ptrdiff_t>(count);
  std::make_heap(begin, heap_end, less_likely);
  float kept_mass = 0.0F;
  while (heap_end != begin) {
    std::pop_heap(begin, heap_end, less_likely);
    --heap_end;
    kept_mass += heap_end->probability;
    if (kept_mass > top_p) break;
  }
  // The kept ones now lie behind heap_end, the likeliest last.
  const float threshold = coin * kept_mass;
  float cumulative = 0.0F;
  for (auto kept = begin + static_cast<std::ptrdiff_t>(count); kept != heap_end;) {
    --kept;
    cumulative += kept->probability;
    if (threshold < cumulative) return kept->token;
  }
  return heap_end->token;
}

}  // namespace

std::uint32_t random_u32(std::uint64_t& state) noexcept {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return static_cast<std::uint32_t>((state * 0x2545F4914F6CDD1DULL) >> 32);
}

float random_float(std::uint64_t& state) noexcept {
  return static_cast<float>(static_cast<std::int32_t>(random_u32(state) >> 8)) / 16777216.0F;
}

Sampler make_sampler(const SamplerOptions& options, std::span<Candidate> candidates) noexcept {
  return {options, options.seed, candidates};
}

std::int32_t sample(Sampler& sampler, std::span<float> logits, std::span<const std::int32_t> recent,
                    const Kernels& kernels) noexcept {
  const SamplerOptions& options = sampler.options;
  const auto vocab_size = static_cast<std::uint32_t>(logits.size());
  if (options.repeat_penalty != 1.0F) apply_repeat_penalty(logits, recent, options.repeat_penalty);
  if (options.temperature == 0.0F)
    return static_cast<std::int32_t>(kernels.argmax(logits.data(), vocab_size));
  for (float& logit : logits) logit /= options.temperature;
  kernels.softmax(logits.data(), vocab_size);
  const float coin = random_float(sampler.random_state);
  if (options.top_p <= 0.0F || options.top_p >= 1.0F) return sample_multinomial(logits, coin);
  return sample_top_p(logits, options.top_p, sampler.candidates, coin);
}

}  // namespace pspllm
