#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/core/units.hpp"
#include "host/report/evaluation.hpp"

namespace pspllm::host {
namespace {

std::string score_lines(const char* title, const TextScore& score) {
  return fmt::format(
      "{:<10} {}\n"
      "           perplexity {:.4f} ± {:.4f}, {:.4f} bits a byte\n"
      "           {} of {} tokens scored, {} bytes\n",
      title, score.model, score.perplexity(), score.perplexity_error(), score.bits_per_byte(),
      grouped(score.loss.count()), grouped(score.tokens), grouped(score.bytes));
}

}  // namespace

std::string evaluation_text(const Evaluation& evaluation) {
  const EvaluationOptions& options = evaluation.options;
  std::string text =
      fmt::format("{}, windows of {} tokens, {} scored\n", evaluation.text, options.context,
                  options.all_tokens ? "every token behind the first" : "the second half of each");
  text += score_lines("model", evaluation.model);
  if (evaluation.reference) text += score_lines("reference", *evaluation.reference);
  if (evaluation.compares_tokens()) {
    constexpr double percent = 100.0;
    text += fmt::format(
        "divergence {:.5f} ± {:.5f} nats (Kullback-Leibler), same likeliest token {:.2f} ± {:.2f} %\n",
        evaluation.divergence.mean(), evaluation.divergence.standard_error(),
        percent * evaluation.agreement.mean(), percent * evaluation.agreement.standard_error());
  } else if (evaluation.reference) {
    text += "the two split the text into other tokens: only bits a byte compare\n";
  }
  text += fmt::format("{:.1f} s, {} tokens/s\n", evaluation.seconds,
                      rate(static_cast<double>(evaluation.model.tokens) / evaluation.seconds));
  if (evaluation.stopped) text += "stopped before the end: the figures hold what was finished\n";
  return text;
}

nlohmann::json score_json(const TextScore& score) {
  return {{"model", score.model},
          {"tokens", score.tokens},
          {"scored_tokens", score.loss.count()},
          {"scored_bytes", score.bytes},
          {"perplexity", score.perplexity()},
          {"perplexity_error", score.perplexity_error()},
          {"nats_per_token", score.loss.mean()},
          {"bits_per_byte", score.bits_per_byte()}};
}

nlohmann::json evaluation_json(const Evaluation& evaluation) {
  nlohmann::json document = {{"text", evaluation.text},
                             {"context", evaluation.options.context},
                             {"all_tokens", evaluation.options.all_tokens},
                             {"model", score_json(evaluation.model)},
                             {"seconds", evaluation.seconds},
                             {"stopped", evaluation.stopped}};
  if (evaluation.reference) document["reference"] = score_json(*evaluation.reference);
  if (evaluation.compares_tokens()) {
    document["divergence"] = {{"mean", evaluation.divergence.mean()},
                              {"error", evaluation.divergence.standard_error()}};
    document["same_likeliest_token"] = {{"mean", evaluation.agreement.mean()},
                                        {"error", evaluation.agreement.standard_error()}};
  }
  return document;
}

}  // namespace pspllm::host
