#include "engine/model/generator.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "engine/testing/test_engine.hpp"
#include "engine/testing/test_model.hpp"

namespace pspllm {
namespace {

using testing::TestEngine;
using testing::TestShape;

constexpr SamplerOptions greedy{.temperature = 0.0F};
const std::vector<std::int32_t> prompt{1, 260, 261, 270, 271, 40, 299, 7, 12, 265, 262};

std::vector<float> logits_after(TestEngine& test, std::span<const std::int32_t> tokens) {
  Generator generator = make_generator(test.engine(), greedy, {});
  REQUIRE(append_tokens(generator, tokens).ok());
  REQUIRE(prefill(generator).ok());
  const auto row = test.engine().logits.first(test.engine().config.vocab_size);
  return {row.begin(), row.end()};
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// Every kind of model that the engine runs.
std::vector<std::string> models() {
  TestShape untied;
  untied.tied_classifier = false;
  TestShape single_kv;
  single_kv.n_kv_heads = 1;
  return {testing::make_q80_model({}),        testing::make_q80_model(untied),
          testing::make_q80_model(single_kv), testing::make_f32_model({}, 0),
          testing::make_f32_model(untied, 0), testing::make_f32_model(untied, 1)};
}

/// Each with both kinds of cache.
std::vector<std::pair<std::string, Choice>> models_and_caches() {
  std::vector<std::pair<std::string, Choice>> result;
  for (const std::string& model : models()) {
    result.emplace_back(model, Choice::no);
    result.emplace_back(model, Choice::yes);
  }
  return result;
}

struct StopAt {
  std::uint32_t calls_left;
};

LayerHook stop_after(StopAt& state) {
  return {&state, [](void* context, std::uint32_t) noexcept {
            auto& stop = *static_cast<StopAt*>(context);
            if (stop.calls_left == 0) return false;
            --stop.calls_left;
            return true;
          }};
}

}  // namespace

TEST_CASE("the prompt gives the same bits in batches of any size") {
  for (const auto& [model, int8_cache] : models_and_caches()) {
    PlanOptions options;
    options.int8_cache = int8_cache;
    options.batch = 1;
    TestEngine one_by_one(model, testing::make_tokenizer(300), options);
    REQUIRE(one_by_one.status().ok());
    const std::vector<float> expected = logits_after(one_by_one, prompt);
    for (const std::uint32_t batch : {2U, 3U, 8U, 64U}) {
      CAPTURE(batch);
      options.batch = batch;
      TestEngine batched(model, testing::make_tokenizer(300), options);
      CHECK(same_bits(logits_after(batched, prompt), expected));
    }
  }
}

/// Where the passes began.
struct Passes {
  const Generator* generator = nullptr;
  std::vector<std::uint32_t> begins;
};

LayerHook note_passes(Passes& passes) {
  return {&passes, [](void* context, std::uint32_t layer) noexcept {
            auto& into = *static_cast<Passes*>(context);
            if (layer == 0) into.begins.push_back(into.generator->cached);
            return true;
          }};
}

TEST_CASE("a prompt is passed in as few batches as possible, of equal length") {
  PlanOptions options;
  options.batch = 4;
  const std::vector<std::vector<std::uint32_t>> begins_by_length{
      {}, {0}, {0}, {0}, {0}, {0, 3}, {0, 3}, {0, 4}, {0, 4}, {0, 3, 6}, {0, 4, 7}, {0, 4, 8}};
  TestEngine test(testing::make_q80_model({}), testing::make_tokenizer(300), options);
  for (std::size_t length = 1; length <= prompt.size(); ++length) {
    CAPTURE(length);
    Passes passes;
    Generator generator = make_generator(test.engine(), greedy, note_passes(passes));
    passes.generator = &generator;
    REQUIRE(append_tokens(generator, std::span(prompt).first(length)).ok());
    REQUIRE(prefill(generator).ok());
    CHECK(passes.begins == begins_by_length[length]);
  }
}

TEST_CASE("an int8 cache changes the logits, but little") {
  for (const std::string& model : models()) {
    PlanOptions options;
    TestEngine floats(model, testing::make_tokenizer(300), options);
    options.int8_cache = Choice::yes;
    TestEngine bytes(model, testing::make_tokenizer(300), options);
    const std::vector<float> expected = logits_after(floats, prompt);
    const std::vector<float> found = logits_after(bytes, prompt);
    CHECK_FALSE(same_bits(found, expected));
    float difference = 0;
    float size = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      difference += (found[i] - expected[i]) * (found[i] - expected[i]);
      size += expected[i] * expected[i];
    }
    CHECK(difference < 1e-2F * size);
  }
}

TEST_CASE("logits of all tokens of a batch equal those of single passes") {
  PlanOptions options;
  options.batch = 8;
  options.logit_rows = 8;
  TestEngine test(testing::make_q80_model({}), testing::make_tokenizer(300), options);
  Engine& engine = test.engine();
  const std::span<const std::int32_t> tokens = std::span(prompt).first(8);
  REQUIRE(forward(engine, tokens, 0, LogitsFor::all_tokens, {}).ok());
  const std::vector<float> all(engine.logits.begin(), engine.logits.end());
  for (std::size_t count = 1; count <= tokens.size(); ++count) {
    const std::vector<float> expected = logits_after(test, tokens.first(count));
    const auto* row = all.data() + (count - 1) * engine.config.vocab_size;
    CHECK(same_bits({row, row + engine.config.vocab_size}, expected));
  }
}

TEST_CASE("a stopped pass can be repeated, wherever it was stopped") {
  const std::string model = testing::make_q80_model({});
  TestEngine undisturbed(model, testing::make_tokenizer(300), {});
  const std::vector<float> expected = logits_after(undisturbed, prompt);
  PlanOptions options;
  options.batch = 8;
  for (std::uint32_t calls = 0; calls < 4; ++calls) {
    CAPTURE(calls);
    TestEngine test(model, testing::make_tokenizer(300), options);
    StopAt stop{calls};
    Generator generator = make_generator(test.engine(), greedy, stop_after(stop));
    REQUIRE(append_tokens(generator, prompt).ok());
    const Status stopped = prefill(generator);
    REQUIRE_FALSE(stopped.ok());
    CHECK(stopped.error().kind == ErrorKind::interrupted);
    stop.calls_left = 1000;
    REQUIRE(prefill(generator).ok());
    const auto row = test.engine().logits.first(test.engine().config.vocab_size);
    CHECK(same_bits({row.begin(), row.end()}, expected));
    CHECK(generator.counts.prompt_tokens == prompt.size());
  }
}

TEST_CASE("a text goes to the end of the context and one token further") {
  TestEngine test(testing::make_q80_model({}), testing::make_tokenizer(300), {});
  Generator generator = make_generator(test.engine(), greedy, {});
  REQUIRE(append_tokens(generator, prompt).ok());
  const std::uint32_t context = test.engine().plan.options.context;
  for (std::uint32_t length = generator.length; length <= context; ++length)
    REQUIRE(next_token(generator).ok());
  CHECK(generator.length == context + 1);
  const Result<std::int32_t> beyond = next_token(generator);
  REQUIRE_FALSE(beyond.ok());
  CHECK(beyond.error().kind == ErrorKind::does_not_fit);
  CHECK(generator.counts.generated_tokens == context + 1 - prompt.size());
}

TEST_CASE("a prompt that overflows the context is refused with both numbers and changes nothing") {
  TestEngine test(testing::make_q80_model({}), testing::make_tokenizer(300), {});
  Generator generator = make_generator(test.engine(), greedy, {});
  const std::vector<std::int32_t> too_long(33, 260);
  const Status status = append_tokens(generator, too_long);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().kind == ErrorKind::does_not_fit);
  CHECK(status.error().message.view().find("33") != std::string_view::npos);
  CHECK(status.error().message.view().find("32") != std::string_view::npos);
  CHECK(generator.length == 0);
}

TEST_CASE("an empty text cannot be gone on with") {
  TestEngine test(testing::make_q80_model({}), testing::make_tokenizer(300), {});
  Generator generator = make_generator(test.engine(), greedy, {});
  CHECK_FALSE(next_token(generator).ok());
}

TEST_CASE("a token that was taken back leaves the text as if it had not been") {
  TestEngine test(testing::make_q80_model({}), testing::make_tokenizer(300), {});
  Generator generator = make_generator(test.engine(), greedy, {});
  REQUIRE(append_tokens(generator, prompt).ok());
  const std::int32_t token = next_token(generator).value();
  take_back(generator);
  CHECK(generator.length == prompt.size());
  CHECK(next_token(generator).value() == token);
  REQUIRE(prefill(generator).ok());
  take_back(generator);
  CHECK(next_token(generator).value() == token);
}

TEST_CASE("a reset generator tells the same text again") {
  TestEngine test(testing::make_q80_model({}), testing::make_tokenizer(300), {});
  Generator generator = make_generator(test.engine(), greedy, {});
  const auto tell = [&] {
    std::vector<std::int32_t> tokens;
    REQUIRE(append_tokens(generator, prompt).ok());
    for (int i = 0; i < 10; ++i) tokens.push_back(next_token(generator).value());
    return tokens;
  };
  const std::vector<std::int32_t> first = tell();
  reset(generator);
  CHECK(generator.counts.generated_tokens == 0);
  CHECK(tell() == first);
}

TEST_CASE("a block that is too small or not aligned is refused") {
  const std::string model = testing::make_q80_model({});
  const std::string tokenizer = testing::make_tokenizer(300);
  const std::span<const std::byte> model_bytes = std::as_bytes(std::span(model));
  const std::span<const std::byte> tokenizer_bytes = std::as_bytes(std::span(tokenizer));
  EngineSources sources;
  sources.model = memory_source(&model_bytes);
  sources.tokenizer = memory_source(&tokenizer_bytes);
  const auto file = std::make_unique<ModelFile>();
  REQUIRE(read_model_file(sources.model, *file).ok());
  PlanOptions options;
  options.tokenizer_file_bytes = tokenizer.size();
  MemoryPlan plan;
  REQUIRE(plan_memory(*file, options, reference_kernels(), plan).ok());
  std::vector<std::byte> memory(static_cast<std::size_t>(plan.total_bytes) + 2 * block_alignment);
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::size_t shift = (block_alignment - address % block_alignment) % block_alignment;
  const std::span<std::byte> aligned = std::span(memory).subspan(shift);
  const auto engine = std::make_unique<Engine>();
  const auto load = [&](std::span<std::byte> block) {
    return load_engine(sources, *file, plan, reference_kernels(), block, {}, *engine);
  };
  const auto total = static_cast<std::size_t>(plan.total_bytes);
  CHECK(load(aligned.first(total)).ok());
  CHECK_FALSE(load(aligned.first(total - 1)).ok());
  CHECK_FALSE(load(aligned.subspan(4, total)).ok());
}

TEST_CASE("loading stops when the progress callback says so") {
  const std::string model = testing::make_q80_model({});
  const std::string tokenizer = testing::make_tokenizer(300);
  const std::span<const std::byte> model_bytes = std::as_bytes(std::span(model));
  const std::span<const std::byte> tokenizer_bytes = std::as_bytes(std::span(tokenizer));
  EngineSources sources;
  sources.model = memory_source(&model_bytes);
  sources.tokenizer = memory_source(&tokenizer_bytes);
  const auto file = std::make_unique<ModelFile>();
  REQUIRE(read_model_file(sources.model, *file).ok());
  PlanOptions options;
  options.tokenizer_file_bytes = tokenizer.size();
  MemoryPlan plan;
  REQUIRE(plan_memory(*file, options, reference_kernels(), plan).ok());
  struct alignas(block_alignment) Line {
    std::byte bytes[block_alignment];
  };
  std::vector<Line> memory(static_cast<std::size_t>(plan.total_bytes / block_alignment));
  const Progress stop{nullptr, [](void*, std::uint64_t, std::uint64_t) noexcept { return false; }};
  const auto engine = std::make_unique<Engine>();
  const Status status = load_engine(sources, *file, plan, reference_kernels(),
                                    std::as_writable_bytes(std::span(memory)), stop, *engine);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().kind == ErrorKind::interrupted);
}

TEST_CASE("a repeat penalty changes the scores of recent tokens, those before an answer left out") {
  TestEngine test(testing::make_q80_model({}), testing::make_tokenizer(300), {});
  const std::vector<float> plain = logits_after(test, prompt);
  const auto changed_by_penalty = [&](std::uint32_t repeat_from) {
    Generator generator = make_generator(test.engine(), {.temperature = 0.0F, .repeat_penalty = 2.0F}, {});
    generator.repeat_from = repeat_from;
    REQUIRE(append_tokens(generator, prompt).ok());
    REQUIRE(next_token(generator).ok());
    std::vector<std::int32_t> changed;
    for (std::size_t token = 0; token < plain.size(); ++token) {
      if (test.engine().logits[token] != plain[token]) changed.push_back(static_cast<std::int32_t>(token));
    }
    return changed;
  };
  const auto length = static_cast<std::uint32_t>(prompt.size());
  CHECK(changed_by_penalty(0).size() == prompt.size());
  CHECK(changed_by_penalty(length).empty());
  CHECK(changed_by_penalty(length - 1) == std::vector<std::int32_t>{prompt.back()});
  // Words that were never said hide nothing either.
  CHECK(changed_by_penalty(length + 5).empty());
}

}  // namespace pspllm
