#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/core/units.hpp"
#include "host/report/conversation/conversation_evaluation.hpp"

namespace pspllm::host {
namespace {

constexpr double percent = 100.0;

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string count_text(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "nothing to check";
  return fmt::format("{:.1f} % ({} of {})", percent * share(part, whole), part, whole);
}

std::string set_lines(const AnswerSet& set) {
  std::string text = fmt::format("{}\n", set.name);
  if (set.score.loss.count() > 0) {
    text += fmt::format("    judged            perplexity {:.3f} ± {:.3f}, {:.4f} bits a byte, {} tokens\n",
                        set.score.perplexity(), set.score.perplexity_error(), set.score.bits_per_byte(),
                        grouped(set.score.loss.count()));
  }
  text += fmt::format("    repeated 4-grams  {}\n", count_text(set.grams.repeated, set.grams.total));
  text += fmt::format("    end by themselves {}\n", count_text(set.ended, set.answers.size()));
  text += fmt::format("    hold a right word {}\n", count_text(set.right, set.checked));
  return text;
}

nlohmann::json count_json(std::uint64_t part, std::uint64_t whole) {
  return {{"count", part}, {"of", whole}, {"share", share(part, whole)}};
}

nlohmann::json answer_json(const ChatPrompt& prompt, const JudgedAnswer& judged) {
  nlohmann::json document = {
      {"prompt", prompt.words}, {"answer", judged.answer.text}, {"ended", judged.answer.ended}};
  if (judged.answer.tokens > 0) document["tokens"] = judged.answer.tokens;
  if (judged.is_right) document["right"] = *judged.is_right;
  if (judged.score.loss.count() > 0) {
    document["judged_tokens"] = judged.score.loss.count();
    document["judged_nats"] = judged.score.loss.sum();
  }
  return document;
}

nlohmann::json set_json(const ConversationEvaluation& evaluation, const AnswerSet& set) {
  nlohmann::json document = {{"name", set.name},
                             {"repeated_4grams", count_json(set.grams.repeated, set.grams.total)},
                             {"ended", count_json(set.ended, set.answers.size())},
                             {"right", count_json(set.right, set.checked)},
                             {"answers", nlohmann::json::array()}};
  if (set.score.loss.count() > 0) document["judged"] = score_json(set.score);
  for (std::size_t i = 0; i < set.answers.size(); ++i)
    document["answers"].push_back(answer_json(evaluation.prompts[i], set.answers[i]));
  return document;
}

}  // namespace

std::string conversation_text(const ConversationEvaluation& evaluation) {
  std::string text = fmt::format("{} prompts", evaluation.prompts.size());
  if (evaluation.most_tokens > 0)
    text += fmt::format(", answers of at most {} tokens by {}", evaluation.most_tokens, evaluation.model);
  text += "\n";
  if (!evaluation.judge.empty()) text += fmt::format("judged by {}\n", evaluation.judge);
  for (const AnswerSet& set : evaluation.sets) text += set_lines(set);
  text += fmt::format("{:.1f} s\n", evaluation.seconds);
  if (evaluation.stopped) text += "stopped before the end: the figures hold what was finished\n";
  return text;
}

nlohmann::json conversation_json(const ConversationEvaluation& evaluation) {
  nlohmann::json document = {{"prompts", evaluation.prompts.size()},
                             {"seconds", evaluation.seconds},
                             {"stopped", evaluation.stopped},
                             {"sets", nlohmann::json::array()}};
  if (!evaluation.model.empty()) document["model"] = evaluation.model;
  if (evaluation.most_tokens > 0) document["most_tokens"] = evaluation.most_tokens;
  if (!evaluation.judge.empty()) document["judge"] = evaluation.judge;
  if (evaluation.system) document["system"] = *evaluation.system;
  for (const AnswerSet& set : evaluation.sets) document["sets"].push_back(set_json(evaluation, set));
  return document;
}

}  // namespace pspllm::host
