#include "host/report/conversation/judging.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "host/core/failure.hpp"
#include "host/formats/text_tokens.hpp"
#include "host/report/window_evaluator.hpp"

namespace pspllm::host {
namespace {

/// The conversation up to the answer's end; the answer is scored.
EvaluationWindow window_of(LoadedModel& judge, const ChatTemplate& chat_template,
                           const std::optional<std::string_view>& system, const std::string& words,
                           const std::string& answer) {
  const Engine& engine = judge.engine();
  const auto turn =
      encode_turn(engine.tokenizer, chat_template, {true, system, words}, engine.encode_scratch);
  require(turn.status(), fmt::format("{}, \"{}\"", judge.model_path(), words));
  EvaluationWindow window;
  window.tokens.assign(turn.value().begin(), turn.value().end());
  window.first_scored = static_cast<std::uint32_t>(window.tokens.size());
  const std::vector<std::int32_t> tokens = tokens_of(engine.tokenizer, answer, TextPlace::middle);
  window.tokens.insert(window.tokens.end(), tokens.begin(), tokens.end());
  const std::uint32_t context = engine.plan.options.context;
  if (window.tokens.size() <= context) return window;
  throw Failure(
      fmt::format("{}: \"{}\" with its answer has {} of the judge's tokens, its context holds {}; take "
                  "shorter answers or another judge",
                  judge.model_path(), words, window.tokens.size(), context));
}

}  // namespace

std::optional<TextScore> judge_answer(LoadedModel& judge, const ChatTemplate& chat_template,
                                      const std::optional<std::string>& system, const std::string& words,
                                      const std::string& answer) {
  Evaluation evaluation;
  evaluation.model.model = judge.model_path();
  if (answer.empty()) return evaluation.model;
  WindowEvaluator evaluator(judge, nullptr, evaluation);
  if (!evaluator.run(window_of(judge, chat_template, system, words, answer))) return std::nullopt;
  return evaluation.model;
}

}  // namespace pspllm::host
