#include "engine/model/sampler.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace pspllm {
namespace {

/// runq.c's top-p in the plainest way: sort all candidates, keep the likeliest, walk through them.
std::int32_t plain_top_p(const std::vector<float>& probabilities, float top_p, float coin) {
  const float cutoff = (1.0F - top_p) / static_cast<float>(probabilities.size() - 1);
  std::vector<std::int32_t> order;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    if (probabilities[i] >= cutoff) order.push_back(static_cast<std::int32_t>(i));
  }
  // runq.c would read before its array here; the engine takes the last token.
  if (order.empty()) return static_cast<std::int32_t>(probabilities.size()) - 1;
  const auto probability = [&](std::int32_t i) { return probabilities[static_cast<std::size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return probability(a) > probability(b); });
  float kept = 0.0F;
  std::size_t last = order.size() - 1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    kept += probability(order[i]);
    if (kept > top_p) {
      last = i;
      break;
    }
  }
  float cumulative = 0.0F;
  for (std::size_t i = 0; i <= last; ++i) {
    cumulative += probability(order[i]);
    if (coin * kept < cumulative) return order[i];
  }
  return order[last];
}

struct Source {
  std::uint64_t state = 12345;
  float next() { return random_float(state); }
};

}  // namespace

TEST_CASE("random numbers are xorshift64*") {
  // Worked by hand from the definition, for state 1.
  std::uint64_t state = 1;
  CHECK(random_u32(state) == static_cast<std::uint32_t>((0x2000001ULL * 0x2545F4914F6CDD1DULL) >> 32));
  CHECK(state == 0x2000001ULL);
  for (int i = 0; i < 1000; ++i) {
    const float value = random_float(state);
    REQUIRE(value >= 0.0F);
    REQUIRE(value < 1.0F);
  }
}

TEST_CASE("top-p with a heap chooses what a full sort chooses") {
  Source random;
  for (int round = 0; round < 2000; ++round) {
    const auto vocab_size = static_cast<std::size_t>(2 + random.next() * 60);
    std::vector<float> logits(vocab_size);
    // Coarse steps make many equal probabilities, whose order matters.
    for (float& logit : logits) logit = static_cast<float>(static_cast<int>(random.next() * 8));
    const SamplerOptions options{.temperature = 1.0F, .top_p = 0.05F + 0.9F * random.next(), .seed = 1};
    std::vector<Candidate> candidates(vocab_size);
    Sampler sampler = make_sampler(options, candidates);
    sampler.random_state = random.state;
    std::uint64_t coin_state = random.state;
    std::vector<float> probabilities = logits;
    reference_kernels().softmax(probabilities.data(), static_cast<std::uint32_t>(vocab_size));
    const std::int32_t expected = plain_top_p(probabilities, options.top_p, random_float(coin_state));
    REQUIRE(sample(sampler, logits, {}, reference_kernels()) == expected);
    random.next();
  }
}

TEST_CASE("temperature 0 takes the first likeliest token and no random number") {
  std::vector<float> logits{1.0F, 5.0F, 5.0F, 2.0F};
  std::vector<Candidate> candidates(4);
  Sampler sampler = make_sampler({.temperature = 0.0F, .top_p = 0.9F, .seed = 7}, candidates);
  CHECK(sample(sampler, logits, {}, reference_kernels()) == 1);
  CHECK(sampler.random_state == 7);
}

TEST_CASE("top-p 0 and 1 keep all tokens") {
  for (const float top_p : {0.0F, 1.0F}) {
    std::vector<int> counts(3);
    std::vector<Candidate> candidates(3);
    Sampler sampler = make_sampler({.temperature = 1.0F, .top_p = top_p, .seed = 3}, candidates);
    for (int i = 0; i < 3000; ++i) {
      std::vector<float> logits{0.0F, 0.0F, 0.0F};
      ++counts[static_cast<std::size_t>(sample(sampler, logits, {}, reference_kernels()))];
    }
    for (const int count : counts) CHECK(count > 800);
  }
}

TEST_CASE("the repeat penalty makes a recent token less likely, once however often it stands there") {
  std::vector<Candidate> candidates(3);
  Sampler sampler =
      make_sampler({.temperature = 0.0F, .top_p = 0.9F, .seed = 1, .repeat_penalty = 2.0F}, candidates);
  std::vector<float> logits{3.0F, 2.0F, -1.0F};
  const std::vector<std::int32_t> recent{0, 0, 0, 2};
  CHECK(sample(sampler, logits, recent, reference_kernels()) == 1);
  CHECK(logits[0] == 1.5F);
  CHECK(logits[2] == -2.0F);
}

}  // namespace pspllm
