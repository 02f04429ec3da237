#include "host/report/evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <numeric>
#include <span>
#include <vector>

#include "engine/model/forward.hpp"
#include "host/core/failure.hpp"
#include "host/io/interrupt.hpp"
#include "host/io/progress_bar.hpp"
#include "host/report/evaluation_windows.hpp"

namespace pspllm::host {
namespace {

std::span<const float> logit_row(const Engine& engine, std::size_t row) {
  const std::size_t vocab_size = engine.config.vocab_size;
  return std::span<const float>(engine.logits).subspan(row * vocab_size, vocab_size);
}

/// What each row of a batch says; rows are shared out to the threads.
std::vector<LogitScore> score_rows(const Engine& engine, std::span<const std::int32_t> targets) {
  // An exponential is worth a few dozen multiply-adds.
  constexpr std::uint64_t work_per_logit = 32;
  std::vector<LogitScore> scores(targets.size());
  engine.parallel(
      static_cast<std::uint32_t>(targets.size()), targets.size() * engine.config.vocab_size * work_per_logit,
      [&](std::uint32_t begin, std::uint32_t end) {
        for (std::uint32_t row = begin; row < end; ++row) {
          scores[row] = score_logits(logit_row(engine, row), static_cast<std::uint32_t>(targets[row]));
        }
      });
  return scores;
}

/// Runs one or two models over windows and gathers their figures.
class Evaluator {
 public:
  Evaluator(LoadedModel& model, LoadedModel* reference, Evaluation& evaluation)
      : model_(model.engine()),
        reference_(reference == nullptr ? nullptr : &reference->engine()),
        evaluation_(evaluation) {}

  /// False where the user stopped it.
  bool run(const EvaluationWindow& window) {
    const std::span<const std::int32_t> tokens(window.tokens);
    const std::vector<std::uint32_t> bytes = spelled_bytes(model_.tokenizer, tokens);
    const std::uint32_t batch = model_.plan.options.batch;
    // The last token is predicted, and predicts nothing.
    const auto end = static_cast<std::uint32_t>(tokens.size() - 1);
    const std::uint32_t first_row = window.first_scored - 1;
    std::uint32_t position = 0;
    while (position < end) {
      const bool is_scored = position >= first_row;
      const std::uint32_t limit = is_scored ? end : first_row;
      const std::uint32_t count = std::min(batch, limit - position);
      if (!forward_both(tokens.subspan(position, count), position, is_scored)) return false;
      if (is_scored) add(tokens.subspan(position + 1, count), std::span(bytes).subspan(position + 1, count));
      position += count;
    }
    count_tokens(tokens.size());
    return true;
  }

 private:
  bool forward_both(std::span<const std::int32_t> tokens, std::uint32_t position, bool is_scored) {
    const LogitsFor logits_for = is_scored ? LogitsFor::all_tokens : LogitsFor::none;
    for (Engine* const engine : {&model_, reference_}) {
      if (engine == nullptr) continue;
      const Status status = forward(*engine, tokens, position, logits_for, interrupt_hook());
      if (!status && status.error().kind == ErrorKind::interrupted) return false;
      require(status);
    }
    return true;
  }

  static void add_losses(TextScore& score, std::span<const LogitScore> rows,
                         std::span<const std::uint32_t> bytes) {
    for (const LogitScore& row : rows) {
      if (!std::isfinite(row.loss)) {
        throw Failure(
            fmt::format("{}: the model's logits are not numbers; its weights are damaged", score.model));
      }
      score.loss.add(row.loss);
    }
    score.bytes += std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
  }

  void add(std::span<const std::int32_t> targets, std::span<const std::uint32_t> bytes) {
    const std::vector<LogitScore> rows = score_rows(model_, targets);
    add_losses(evaluation_.model, rows, bytes);
    if (reference_ == nullptr) return;
    const std::vector<LogitScore> reference_rows = score_rows(*reference_, targets);
    add_losses(*evaluation_.reference, reference_rows, bytes);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      evaluation_.divergence.add(divergence(logit_row(*reference_, row), reference_rows[row].log_normalizer,
                                            logit_row(model_, row), rows[row].log_normalizer));
      evaluation_.agreement.add(rows[row].best == reference_rows[row].best ? 1.0 : 0.0);
    }
  }

  void count_tokens(std::uint64_t count) {
    evaluation_.model.tokens += count;
    if (reference_ != nullptr) evaluation_.reference->tokens += count;
  }

  Engine& model_;
  Engine* reference_;
  Evaluation& evaluation_;
};

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
bool run_windows(Evaluator& evaluator, const std::vector<EvaluationWindow>& windows) {
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

/// A reference of another vocabulary scores the same stretch of text by itself.
bool evaluate_alone(LoadedModel& reference, std::string_view text, const std::string& text_name,
                    Evaluation& evaluation) {
  EvaluationOptions options = evaluation.options;
  options.max_tokens = 0;
  const std::vector<std::int32_t> tokens = tokens_of(reference.engine().tokenizer, text);
  Evaluation alone;
  alone.model.model = reference.model_path();
  Evaluator evaluator(reference, nullptr, alone);
  const bool finished =
      run_windows(evaluator, windows_or_fail(reference.engine(), tokens, text_name, options));
  evaluation.reference = alone.model;
  return finished;
}

}  // namespace

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
  evaluation.options = options;
  evaluation.model.model = model.model_path();
  const std::vector<std::int32_t> tokens = tokens_of(model.engine().tokenizer, text);
  const std::vector<EvaluationWindow> windows = windows_or_fail(model.engine(), tokens, text_name, options);
  const bool is_same_vocabulary = reference != nullptr &&
                                  reference->engine().config.vocab_size == model.engine().config.vocab_size &&
                                  tokens_of(reference->engine().tokenizer, text) == tokens;
  if (is_same_vocabulary) {
    evaluation.reference.emplace();
    evaluation.reference->model = reference->model_path();
  }
  Evaluator evaluator(model, is_same_vocabulary ? reference : nullptr, evaluation);
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
