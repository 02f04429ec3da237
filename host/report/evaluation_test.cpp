#include "host/report/evaluation.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "engine/model/forward.hpp"
#include "engine/testing/test_model.hpp"
#include "host/core/failure.hpp"
#include "host/formats/text_tokens.hpp"
#include "host/report/evaluation_windows.hpp"
#include "tests/support/temporary_folder.hpp"

namespace pspllm::host {
namespace {

using pspllm::testing::make_q80_model;
using pspllm::testing::make_tokenizer;
using pspllm::testing::TemporaryFolder;

const std::string text = "the hen and the cat and the dog ran to the hen and the cat sat";

std::vector<std::int32_t> counted(std::int32_t count) {
  std::vector<std::int32_t> tokens;
  for (std::int32_t i = 0; i < count; ++i) tokens.push_back(bos_token + i);
  return tokens;
}

EvaluationOptions windows_of(std::uint32_t context, bool all_tokens = false, std::uint64_t max_tokens = 0) {
  EvaluationOptions options;
  options.context = context;
  options.all_tokens = all_tokens;
  options.max_tokens = max_tokens;
  return options;
}

/// A model with random weights.
struct Model {
  explicit Model(const EvaluationOptions& options, std::uint32_t batch = 4)
      : loaded(open_model(folder.path("model.bin"), {}), evaluation_plan(options, batch), {}) {}

  struct Files {
    Files() {
      folder.write("model.bin", make_q80_model({}));
      folder.write("tokenizer.bin", make_tokenizer(300));
    }
    [[nodiscard]] std::string path(const std::string& name) const { return folder.path(name); }
    TemporaryFolder folder;
  };
  Files folder;
  LoadedModel loaded;
};

}  // namespace

TEST_CASE("the second half of whole windows is scored, or every token behind a window's first") {
  const std::vector<std::int32_t> tokens = counted(19);
  const auto halves = make_windows(tokens, no_token, windows_of(8));
  REQUIRE(halves.size() == 2);
  CHECK(halves[1].tokens.front() == tokens[8]);
  // llama.cpp predicts with logits 4, 5 and 6 of eight: tokens 5, 6 and 7.
  CHECK(halves[1].first_scored == 5);
  const auto all = make_windows(tokens, no_token, windows_of(8, true));
  REQUIRE(all.size() == 3);
  CHECK(all[2].tokens.size() == 3);
  CHECK(all[0].first_scored == 1);
  CHECK(make_windows(tokens, no_token, windows_of(8, true, 17)).size() == 2);
  CHECK(make_windows(tokens, no_token, windows_of(8, false, 15)).size() == 1);
  CHECK(make_windows(tokens, no_token, windows_of(20)).empty());
}

TEST_CASE("every window begins with BOS where the text does") {
  const auto windows = make_windows(counted(16), bos_token, windows_of(8));
  CHECK(windows[1].tokens.front() == bos_token);
  CHECK(windows[1].tokens[1] == bos_token + 9);
}

TEST_CASE("figures are those of single passes, whatever the batch") {
  const EvaluationOptions options = windows_of(8, true);
  Model by_four(options, 4);
  const Evaluation evaluation = evaluate(by_four.loaded, nullptr, text, "text", options);
  Model by_one(options, 1);
  CHECK(evaluate(by_one.loaded, nullptr, text, "text", options).model.loss.sum() ==
        evaluation.model.loss.sum());

  Engine& engine = by_one.loaded.engine();
  RunningMean loss;
  std::uint64_t bytes = 0;
  for (const EvaluationWindow& window :
       make_windows(tokens_of(engine.tokenizer, text), bos_of(engine.tokenizer), options)) {
    const std::vector<std::uint32_t> spelled = spelled_bytes(engine.tokenizer, window.tokens);
    for (std::uint32_t i = 0; i + 1 < window.tokens.size(); ++i) {
      REQUIRE(forward(engine, std::span(window.tokens).subspan(i, 1), i, LogitsFor::last_token, {}).ok());
      loss.add(score_logits(engine.logits, static_cast<std::uint32_t>(window.tokens[i + 1])).loss);
      bytes += spelled[i + 1];
    }
  }
  CHECK(loss.count() == evaluation.model.loss.count());
  CHECK(loss.sum() == doctest::Approx(evaluation.model.loss.sum()));
  CHECK(bytes == evaluation.model.bytes);
  CHECK(evaluation.model.perplexity() == doctest::Approx(std::exp(loss.mean())));
  CHECK(evaluation.model.bits_per_byte() ==
        doctest::Approx(loss.sum() / std::log(2.0) / static_cast<double>(bytes)));
}

TEST_CASE("a model does not diverge from itself") {
  const EvaluationOptions options = windows_of(8);
  Model model(options);
  Model reference(options);
  const Evaluation evaluation = evaluate(model.loaded, &reference.loaded, text, "text", options);
  REQUIRE(evaluation.reference.has_value());
  CHECK(evaluation.compares_tokens());
  CHECK(evaluation.divergence.mean() == doctest::Approx(0.0));
  CHECK(evaluation.agreement.mean() == 1.0);
  CHECK(evaluation.reference->perplexity() == evaluation.model.perplexity());
}

TEST_CASE("a text shorter than a window is refused with both numbers") {
  const EvaluationOptions options = windows_of(16);
  Model model(options);
  CHECK_THROWS_WITH_AS((void)evaluate(model.loaded, nullptr, "the", "story.txt", options),
                       doctest::Contains("story.txt: 2 tokens are too few, expected a window of 16"),
                       Failure);
}

}  // namespace pspllm::host
