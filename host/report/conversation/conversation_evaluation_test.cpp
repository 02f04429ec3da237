#include "host/report/conversation/conversation_evaluation.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/model/forward.hpp"
#include "engine/testing/test_model.hpp"
#include "host/core/failure.hpp"
#include "host/formats/checkpoint_chat.hpp"
#include "host/formats/convert.hpp"
#include "host/formats/text_tokens.hpp"
#include "host/generation/own_chat_template.hpp"
#include "host/report/conversation/judging.hpp"
#include "host/report/evaluation_windows.hpp"
#include "tests/support/temporary_folder.hpp"

namespace pspllm::host {
namespace {

using pspllm::testing::make_f32_model;
using pspllm::testing::make_tokenizer;
using pspllm::testing::TemporaryFolder;
using pspllm::testing::TestShape;

const std::vector<ChatPrompt> prompts{{"the hen", {}}, {"the cat and the dog", {"e"}}};

/// A model with random weights and a chat template.
struct Model {
  explicit Model(std::uint32_t vocab_size = 300, const char* chat_template = "plain", bool judges = false)
      : loaded(open_model(converted(folder, vocab_size, chat_template), {}),
               judges ? judging_plan(8) : answering_plan(0, 8), {}) {}

  static std::string converted(const TemporaryFolder& folder, std::uint32_t vocab_size,
                               const char* chat_template) {
    TestShape shape;
    shape.vocab_size = vocab_size;
    shape.seq_len = 256;
    folder.write("tokenizer.bin", make_tokenizer(vocab_size));
    Checkpoint checkpoint = open_checkpoint(folder.write("model.bin", make_f32_model(shape, 0)));
    choose_chat_template(chat_template, checkpoint);
    ProgressBar bar("converting");
    (void)convert_checkpoint(checkpoint, folder.path("model.pspm"), {TensorFormat::f32, 0}, bar);
    return folder.path("model.pspm");
  }

  TemporaryFolder folder;
  LoadedModel loaded;
};

ConversationOptions short_answers() {
  ConversationOptions options;
  options.most_tokens = 12;
  return options;
}

std::vector<std::string> texts_of(const AnswerSet& set) {
  std::vector<std::string> texts;
  for (const JudgedAnswer& judged : set.answers) texts.push_back(judged.answer.text);
  return texts;
}

}  // namespace

TEST_CASE("every prompt is answered greedily and by chance, the same again with the same seed") {
  Model model;
  const ConversationEvaluation evaluation =
      evaluate_conversation(model.loaded, nullptr, prompts, short_answers());
  REQUIRE(evaluation.sets.size() == 2);
  CHECK(evaluation.sets[0].name == "greedy");
  CHECK(evaluation.sets[1].name == "temperature 0.7, top-p 0.9, seed 1, repeat penalty 1.1");
  for (const AnswerSet& set : evaluation.sets) {
    REQUIRE(set.answers.size() == 2);
    CHECK(set.score.loss.count() == 0);
    CHECK(set.checked == 1);
    CHECK_FALSE(set.answers[0].is_right.has_value());
    CHECK(set.answers[1].is_right.has_value());
  }
  const ConversationEvaluation again = evaluate_conversation(model.loaded, nullptr, prompts, short_answers());
  CHECK(texts_of(again.sets[1]) == texts_of(evaluation.sets[1]));
  ConversationOptions other = short_answers();
  other.sampled.seed = 99;
  const ConversationEvaluation others = evaluate_conversation(model.loaded, nullptr, prompts, other);
  CHECK(texts_of(others.sets[0]) == texts_of(evaluation.sets[0]));
  CHECK(texts_of(others.sets[1]) != texts_of(evaluation.sets[1]));
}

TEST_CASE("a judge with another vocabulary scores the text, and only the text, behind the prompt") {
  Model judge(400, "plain", true);
  const std::string answer = " the dog ran";
  const ChatTemplate chat_template = require_own_chat_template(judge.loaded);
  const std::optional<TextScore> score = judge_answer(judge.loaded, chat_template, {}, "the hen", answer);
  REQUIRE(score.has_value());

  // The same tokens as a window by hand.
  const TextCodec& codec = judge.loaded.engine().tokenizer;
  const std::vector<std::int32_t> tokens = tokens_of(codec, answer, TextPlace::middle);
  CHECK(score->loss.count() == tokens.size());
  Engine& engine = judge.loaded.engine();
  const auto turn = encode_turn(codec, chat_template, {true, {}, "the hen"}, engine.encode_scratch);
  std::vector<std::int32_t> all(turn.value().begin(), turn.value().end());
  const std::size_t begin = all.size();
  all.insert(all.end(), tokens.begin(), tokens.end());
  RunningMean loss;
  for (std::uint32_t i = 0; i + 1 < all.size(); ++i) {
    REQUIRE(forward(engine, std::span(all).subspan(i, 1), i, LogitsFor::last_token, {}).ok());
    if (i + 1 >= begin)
      loss.add(score_logits(engine.logits.first(400), static_cast<std::uint32_t>(all[i + 1])).loss);
  }
  CHECK(score->loss.sum() == doctest::Approx(loss.sum()));
  CHECK(score->bytes >= answer.size());
  CHECK(judge_answer(judge.loaded, chat_template, {}, "the hen", "")->loss.count() == 0);
  CHECK_THROWS_WITH_AS((void)judge_answer(judge.loaded, chat_template, {}, "the hen", std::string(300, '!')),
                       doctest::Contains("its context holds 256"), Failure);
}

TEST_CASE("a set's figures are those of its answers") {
  Model model;
  Model judge(400, "plain", true);
  const std::vector<Answer> answers{{"the cat sat on the cat sat on", true}, {"no Egg", false}};
  const ConversationEvaluation evaluation =
      evaluate_answers(answers, "elsewhere", &judge.loaded, prompts, {});
  REQUIRE(evaluation.sets.size() == 1);
  const AnswerSet& set = evaluation.sets[0];
  CHECK(set.ended == 1);
  CHECK(set.right == 1);
  CHECK(set.grams.total == 5);
  CHECK(set.grams.repeated == 1);
  CHECK(set.score.loss.sum() ==
        doctest::Approx(set.answers[0].score.loss.sum() + set.answers[1].score.loss.sum()));
  const nlohmann::json document = conversation_json(evaluation);
  CHECK(document["sets"][0]["answers"][1]["answer"] == "no Egg");
  CHECK(document["sets"][0]["answers"][1]["right"] == true);
  CHECK(document["sets"][0]["ended"]["share"] == 0.5);
  CHECK(document["sets"][0]["judged"]["perplexity"].get<double>() > 1.0);
  CHECK(conversation_text(evaluation).find("end by themselves 50.0 % (1 of 2)") != std::string::npos);
}

TEST_CASE("a model judges its own answers, made in its own tokens") {
  Model model;
  const ConversationEvaluation evaluation =
      evaluate_conversation(model.loaded, &model.loaded, prompts, short_answers());
  CHECK(evaluation.judge == evaluation.model);
  CHECK(evaluation.sets[0].score.loss.count() > 0);
}

TEST_CASE("models without a template neither answer nor judge") {
  Model story(300, "none");
  Model model;
  CHECK_THROWS_WITH_AS((void)evaluate_conversation(story.loaded, nullptr, prompts, {}),
                       doctest::Contains("has no chat template"), Failure);
  CHECK_THROWS_WITH_AS((void)evaluate_conversation(model.loaded, &story.loaded, prompts, {}),
                       doctest::Contains("has no chat template"), Failure);
}

TEST_CASE("a prompt that the context does not hold is named") {
  Model model;
  CHECK_THROWS_WITH_AS((void)evaluate_conversation(model.loaded, nullptr, {{std::string(500, '!'), {}}}, {}),
                       doctest::Contains("say it shorter"), Failure);
}

}  // namespace pspllm::host
