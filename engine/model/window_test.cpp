// The rolling window: texts far longer than the context, against the rule in its plainest form.
#include "engine/model/window.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/generator.hpp"
#include "engine/testing/plain_text.hpp"
#include "engine/testing/test_engine.hpp"
#include "engine/testing/test_model.hpp"

namespace pspllm {
namespace {

using testing::PlainText;
using testing::TestEngine;
using testing::TestShape;

/// At temperature 1, so that the text of a random model does not fall into a loop.
constexpr SamplerOptions lively{.temperature = 1.0F, .top_p = 1.0F, .seed = 5};
const std::vector<std::int32_t> prompt{1, 260, 261, 270, 271, 40, 299, 7, 12, 265, 262};

struct Setting {
  std::uint32_t context;
  std::uint32_t seq_len;
  std::uint32_t batch;
  Choice int8_cache;
};

/// Windows that wrap several times before they are renewed, that are renewed without wrapping, and that are
/// as long as the model's context.
constexpr Setting settings[] = {{16, 100, 1, Choice::yes}, {16, 48, 5, Choice::yes}, {33, 80, 8, Choice::yes},
                                {24, 24, 4, Choice::yes},  {16, 48, 5, Choice::no},  {32, 32, 8, Choice::no}};

TestEngine engine_of(const Setting& setting) {
  TestShape shape;
  shape.seq_len = setting.seq_len;
  PlanOptions options;
  options.context = setting.context;
  options.batch = setting.batch;
  options.logit_rows = std::min(setting.batch, draft_logit_rows);
  options.int8_cache = setting.int8_cache;
  options.rolling = Choice::yes;
  return {testing::make_q80_model(shape), testing::make_tokenizer(300), options};
}

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

/// `count` more tokens; a stopped pass is made again.
std::vector<std::int32_t> continue_text(Generator& generator, std::size_t count) {
  std::vector<std::int32_t> tokens;
  while (tokens.size() < count) {
    const Result<std::int32_t> token = next_token(generator);
    if (token.ok()) {
      tokens.push_back(token.value());
    } else {
      REQUIRE(token.error().kind == ErrorKind::interrupted);
    }
  }
  return tokens;
}

/// A prompt, 150 tokens, some more words, 100 tokens.
std::vector<std::int32_t> converse(Generator& generator) {
  REQUIRE(append_tokens(generator, prompt).ok());
  std::vector<std::int32_t> text = continue_text(generator, 150);
  REQUIRE(append_tokens(generator, std::span(prompt).first(6)).ok());
  for (const std::int32_t token : continue_text(generator, 100)) text.push_back(token);
  return text;
}

/// Stops every pass of which it has counted so many layers.
struct StopEvery {
  std::uint32_t period;
  std::uint32_t calls = 0;

  LayerHook hook() {
    return {this, [](void* context, std::uint32_t) noexcept {
              auto& stop = *static_cast<StopEvery*>(context);
              return ++stop.calls % stop.period != 0;
            }};
  }
};

}  // namespace

TEST_CASE(
    "a position sees the sinks, itself, and the latest others but for a step; nothing it sees is later") {
  for (const std::uint32_t context : {16U, 17U, 33U, 64U, 256U, 1000U}) {
    CAPTURE(context);
    std::vector<std::optional<std::uint32_t>> slots(context);
    for (std::uint32_t position = 0; position < 5 * context; ++position) {
      const Placement place = placement(position, context);
      REQUIRE(place.slot < context);
      REQUIRE(place.room >= 1);
      slots[place.slot] = position;
      std::vector<std::uint32_t> seen;
      for (std::uint32_t slot = 0; slot < context; ++slot) {
        if (slot <= place.slot || (slot >= place.older.begin && slot < place.older.end)) {
          REQUIRE(slots[slot].has_value());
          seen.push_back(*slots[slot]);
        }
      }
      std::sort(seen.begin(), seen.end());
      REQUIRE(seen.back() == position);
      REQUIRE(seen.size() > std::min(position, context - eviction_step(context)));
      for (std::uint32_t i = 0; i < std::min(position + 1, sink_tokens); ++i) REQUIRE(seen[i] == i);
      // Without a gap behind the sinks, and none of those that a batch from here on overwrites.
      const std::size_t others = seen.size() - std::min<std::size_t>(seen.size(), sink_tokens);
      if (others > 0) REQUIRE(seen[sink_tokens] == position + 1 - others);
      for (std::uint32_t next = 1; next < place.room; ++next) {
        const std::uint32_t slot = placement(position + next, context).slot;
        REQUIRE(slot == place.slot + next);
        REQUIRE((slot < place.older.begin || slot >= place.older.end));
      }
    }
  }
}

TEST_CASE("a text many times longer than the window equals the rule's") {
  for (const Setting& setting : settings) {
    CAPTURE(setting.context);
    CAPTURE(setting.seq_len);
    TestEngine test = engine_of(setting);
    REQUIRE(test.status().ok());
    Generator generator = make_generator(test.engine(), lively, {});
    PlainText plain(test.engine());
    REQUIRE(append_tokens(generator, prompt).ok());
    REQUIRE(prefill(generator).ok());
    std::vector<float> expected;
    for (const std::int32_t token : prompt) expected = plain.add(token);
    for (int i = 0; i < 400; ++i) {
      CAPTURE(i);
      REQUIRE(prefill(generator).ok());
      REQUIRE(same_bits(test.engine().logits.first(300), expected));
      const Result<std::int32_t> token = next_token(generator);
      REQUIRE(token.ok());
      expected = plain.add(token.value());
    }
    CHECK(generator.counts.generated_tokens == 400);
    CHECK(generator.counts.renewed_tokens > 0);
    CHECK(generator.counts.prompt_tokens == prompt.size());
    CHECK_FALSE(is_full(generator));
  }
}

TEST_CASE("turns that are added in batches equal the rule's, as long as the window takes them") {
  for (const Setting& setting : settings) {
    CAPTURE(setting.context);
    CAPTURE(setting.seq_len);
    TestEngine test = engine_of(setting);
    Generator generator = make_generator(test.engine(), lively, {});
    PlainText plain(test.engine());
    std::uint32_t added = 0;
    for (int turn = 0; turn < 40; ++turn) {
      CAPTURE(turn);
      std::vector<std::int32_t> words(free_tokens(generator));
      REQUIRE(words.size() >= setting.context / 2);
      if (turn % 3 == 0) words.resize(5);
      std::vector<float> expected;
      for (std::int32_t& word : words) {
        word = static_cast<std::int32_t>(260 + added++ % 40);
        expected = plain.add(word);
      }
      REQUIRE(append_tokens(generator, words).ok());
      REQUIRE(prefill(generator).ok());
      REQUIRE(same_bits(test.engine().logits.first(300), expected));
    }
    CHECK(generator.counts.prompt_tokens == added);
  }
}

TEST_CASE("a pass that was stopped resumes, wherever the window stands") {
  for (const Setting& setting : settings) {
    CAPTURE(setting.context);
    TestEngine undisturbed = engine_of(setting);
    Generator expected = make_generator(undisturbed.engine(), lively, {});
    const std::vector<std::int32_t> text = converse(expected);
    for (const std::uint32_t period : {3U, 4U, 7U}) {
      TestEngine test = engine_of(setting);
      StopEvery stop{period};
      Generator generator = make_generator(test.engine(), lively, stop.hook());
      CHECK(converse(generator) == text);
      CHECK(generator.counts.renewed_tokens == expected.counts.renewed_tokens);
    }
  }
}

TEST_CASE("drafts change nothing, also where the window wraps and is renewed") {
  for (const Setting& setting : settings) {
    if (setting.batch < 2) continue;
    CAPTURE(setting.context);
    TestEngine undrafted = engine_of(setting);
    Generator expected = make_generator(undrafted.engine(), lively, {});
    const std::vector<std::int32_t> text = converse(expected);

    // What the text itself says next, and nonsense after every third token.
    std::vector<DraftEntry> entries(4096, DraftEntry{0, no_draft});
    for (std::size_t i = 4; i < text.size(); ++i) {
      const DraftSlot slot = draft_slot(std::span(text).subspan(i - 4, 4), 4096);
      const std::int32_t token = i % 3 == 0 ? 7 : text[i];
      entries[slot.bucket + i % draft_bucket] = {slot.check, static_cast<std::uint16_t>(token)};
    }
    TestEngine test = engine_of(setting);
    test.engine().draft_table.entries = entries;
    Generator generator = make_generator(test.engine(), lively, {});
    CHECK(converse(generator) == text);
    CHECK(generator.counts.accepted_tokens > 20);
    CHECK(generator.counts.drafted_tokens > generator.counts.accepted_tokens + 10);
  }
}

TEST_CASE("a token that was sampled and taken back leaves the text as if it had not been") {
  for (const Setting& setting : settings) {
    CAPTURE(setting.context);
    TestEngine undisturbed = engine_of(setting);
    Generator expected = make_generator(undisturbed.engine(), {.temperature = 0.0F}, {});
    REQUIRE(append_tokens(expected, prompt).ok());
    TestEngine test = engine_of(setting);
    Generator generator = make_generator(test.engine(), {.temperature = 0.0F}, {});
    REQUIRE(append_tokens(generator, prompt).ok());
    for (int i = 0; i < 200; ++i) {
      REQUIRE(next_token(generator).ok());
      take_back(generator);
      REQUIRE(next_token(generator).value() == next_token(expected).value());
    }
    CHECK(generator.counts.renewed_tokens == expected.counts.renewed_tokens);
  }
}

TEST_CASE("tokens that were passed and taken back are out of sight of what follows") {
  for (const Setting& setting : settings) {
    for (std::uint32_t length = 12; length < 120; length += 7) {
      for (const std::uint32_t taken : {1U, 2U, 5U, 11U, 40U}) {
        CAPTURE(setting.context);
        CAPTURE(length);
        CAPTURE(taken);
        const auto logits_without = [&](std::int32_t token) {
          TestEngine test = engine_of(setting);
          Generator generator = make_generator(test.engine(), lively, {});
          REQUIRE(append_tokens(generator, prompt).ok());
          static_cast<void>(continue_text(generator, length - prompt.size()));
          for (std::uint32_t i = 0; i < taken; ++i) {
            REQUIRE(append_tokens(generator, std::span(&token, 1)).ok());
            REQUIRE(prefill(generator).ok());
          }
          for (std::uint32_t i = 0; i < taken; ++i) take_back(generator);
          REQUIRE(prefill(generator).ok());
          const auto logits = test.engine().logits.first(300);
          return std::vector<float>(logits.begin(), logits.end());
        };
        CHECK(same_bits(logits_without(9), logits_without(270)));
      }
    }
  }
}

TEST_CASE("a turn that the window cannot show whole is refused with the numbers and changes nothing") {
  TestEngine test = engine_of({16, 48, 4, Choice::yes});
  Generator generator = make_generator(test.engine(), lively, {});
  const std::vector<std::int32_t> words(17, 260);
  CHECK(free_tokens(generator) == 16);
  const Status at_first = append_tokens(generator, words);
  REQUIRE_FALSE(at_first.ok());
  CHECK(at_first.error().kind == ErrorKind::does_not_fit);
  CHECK(at_first.error().message.view().find("this has 17 tokens, the window of 16 takes 16 at once") !=
        std::string_view::npos);
  CHECK(generator.length == 0);
  REQUIRE(append_tokens(generator, std::span(words).first(16)).ok());
  static_cast<void>(continue_text(generator, 30));
  CHECK(free_tokens(generator) == 7);
  CHECK_FALSE(append_tokens(generator, std::span(words).first(8)).ok());
  CHECK(append_tokens(generator, std::span(words).first(7)).ok());
}

TEST_CASE("a text goes on without end; its latest tokens stay known") {
  TestEngine test = engine_of({16, 48, 4, Choice::yes});
  Generator generator = make_generator(test.engine(), lively, {});
  REQUIRE(append_tokens(generator, prompt).ok());
  const std::vector<std::int32_t> text = continue_text(generator, 3000);
  CHECK(generator.window.forgotten + generator.length == prompt.size() + text.size());
  CHECK(generator.length <= history_capacity(test.engine().plan));
  const auto latest = test.engine().history.subspan(generator.length - 250, 250);
  CHECK(std::equal(latest.begin(), latest.end(), text.end() - 250));
}

TEST_CASE("a window needs room to roll, and is not asked for by default") {
  TestEngine test = engine_of({15, 48, 4, Choice::yes});
  REQUIRE_FALSE(test.status().ok());
  CHECK(test.status().error().message.view().find("context is 15, a rolling window needs at least 16") !=
        std::string_view::npos);
  TestEngine plain(testing::make_q80_model({}), testing::make_tokenizer(300), {});
  CHECK_FALSE(plain.engine().plan.rolling);
  CHECK(plain.engine().plan.position_limit == plain.engine().plan.options.context);
}

}  // namespace pspllm
