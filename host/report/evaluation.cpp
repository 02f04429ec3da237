#include "host/report/evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <numeric>
#include <span>
#include <vector>

#include "host/core/failure.hpp"
#include "host/formats/text_tokens.hpp"
#include "host/io/progress_bar.hpp"
#include "host/report/evaluation_windows.hpp"
#include "host/report/window_evaluator.hpp"

namespace pspllm::host {
namespace {

std::vector<EvaluationWindow> windows_or_fail(const Engine& engine, std::span<const std::int32_t> tokens,
                                              const std::string& text_name,
                                              const EvaluationOptions& options) {
  std::vector<EvaluationWindow> windows = make_windows(tokens, bos_of(engine.tokenizer), options);
  if (windows.empty()) {
    throw Failure(
        fmt::format("{}: {} tokens are too few, expected {}; give a longer text{}", text_name, tokens.size(),
                    options.all_tokens ? "at least 2" : fmt::format("a window of {}", options.context),
                    options.all_tokens ? "" : ", a shorter --context or --all-tokens"));
  }
  return windows;
}

/// Runs all windows; false where the user stopped it.
bool run_windows(WindowEvaluator& evaluator, const std::vector<EvaluationWindow>& windows) {
  ProgressBar bar("evaluating");
  for (std::size_t i = 0; i < windows.size(); ++i) {
    bar.update(i, windows.size());
    if (!evaluator.run(windows[i])) return false;
  }
  return true;
}

std::uint64_t bytes_of(const Engine& engine, const std::vector<EvaluationWindow>& windows) {
  std::uint64_t total = 0;
  for (const EvaluationWindow& window : windows) {
    const std::vector<std::uint32_t> bytes = spelled_bytes(engine.tokenizer, window.tokens);
    total += std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
  }
  return total;
}

std::vector<std::int32_t> text_tokens(LoadedModel& model, std::string_view text,
                                      const EvaluationOptions& options) {
  const TextCodec& codec = model.engine().tokenizer;
  return options.marked ? marked_tokens_of(codec, text) : tokens_of(codec, text);
}

/// A reference of another vocabulary scores the same stretch of text by itself.
bool evaluate_alone(LoadedModel& reference, std::string_view text, const std::string& text_name,
                    Evaluation& evaluation) {
  EvaluationOptions options = evaluation.options;
  options.max_tokens = 0;
  const std::vector<std::int32_t> tokens = text_tokens(reference, text, options);
  Evaluation alone;
  alone.model.model = reference.model_path();
  WindowEvaluator evaluator(reference, nullptr, alone);
  const bool finished =
      run_windows(evaluator, windows_or_fail(reference.engine(), tokens, text_name, options));
  evaluation.reference = alone.model;
  return finished;
}

}  // namespace

void TextScore::add(const TextScore& other) noexcept {
  tokens += other.tokens;
  loss.add(other.loss);
  bytes += other.bytes;
}

double TextScore::perplexity() const noexcept {
  return std::exp(loss.mean());
}

double TextScore::perplexity_error() const noexcept {
  return loss.standard_error() * perplexity();
}

double TextScore::bits_per_byte() const noexcept {
  return bytes == 0 ? 0.0 : loss.sum() / std::numbers::ln2 / static_cast<double>(bytes);
}

PlanOptions evaluation_plan(const EvaluationOptions& options, std::uint32_t batch) noexcept {
  PlanOptions plan;
  plan.context = options.context;
  plan.batch = std::min(batch, options.context);
  plan.logit_rows = plan.batch;
  plan.rolling = Choice::no;
  return plan;
}

Evaluation evaluate(LoadedModel& model, LoadedModel* reference, std::string_view text,
                    const std::string& text_name, const EvaluationOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Evaluation evaluation;
  evaluation.text = text_name;
  evaluation.options = options;
  evaluation.model.model = model.model_path();
  const std::vector<std::int32_t> tokens = text_tokens(model, text, options);
  const std::vector<EvaluationWindow> windows = windows_or_fail(model.engine(), tokens, text_name, options);
  const bool is_same_vocabulary = reference != nullptr &&
                                  reference->engine().config.vocab_size == model.engine().config.vocab_size &&
                                  text_tokens(*reference, text, options) == tokens;
  if (is_same_vocabulary) {
    evaluation.reference.emplace();
    evaluation.reference->model = reference->model_path();
  }
  WindowEvaluator evaluator(model, is_same_vocabulary ? reference : nullptr, evaluation);
  bool finished = run_windows(evaluator, windows);
  if (finished && reference != nullptr && !is_same_vocabulary) {
    const std::uint64_t bytes = std::min<std::uint64_t>(bytes_of(model.engine(), windows), text.size());
    finished =
        evaluate_alone(*reference, text.substr(0, static_cast<std::size_t>(bytes)), text_name, evaluation);
  }
  evaluation.stopped = !finished;
  evaluation.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return evaluation;
}

}  // namespace pspllm::host
