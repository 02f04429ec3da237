// A text that outgrows its window several times, as any kernel set tells it: what all sets must agree on.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/model/generator.hpp"
#include "engine/testing/test_engine.hpp"
#include "engine/testing/test_model.hpp"

namespace pspllm::testing {

/// 200 tokens at temperature 1 from an int8 cache, with a turn in the middle. The context is no multiple of
/// any set's key_tile. Empty where the engine cannot be loaded or stops.
[[nodiscard]] inline std::vector<std::int32_t> rolling_text(const Kernels& kernels) {
  TestShape shape;
  shape.dim = 64;
  shape.hidden_dim = 96;
  shape.seq_len = 90;
  shape.group_size = 32;
  PlanOptions options;
  options.context = 38;
  options.batch = 6;
  options.int8_cache = Choice::yes;
  options.rolling = Choice::yes;
  TestEngine test(make_q80_model(shape), make_tokenizer(shape.vocab_size), options, kernels);
  if (!test.status()) return {};
  Generator generator = make_generator(test.engine(), {.temperature = 1.0F, .top_p = 1.0F, .seed = 11}, {});
  const std::vector<std::int32_t> turn{1, 260, 261, 270, 271, 40, 299, 7, 12, 265, 262};
  std::vector<std::int32_t> text;
  while (text.size() < 200) {
    if (text.size() % 100 == 0 && !append_tokens(generator, turn)) return {};
    const Result<std::int32_t> token = next_token(generator);
    if (!token) return {};
    text.push_back(token.value());
  }
  return text;
}

}  // namespace pspllm::testing
