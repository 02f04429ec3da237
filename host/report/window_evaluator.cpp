#include "host/report/window_evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "engine/model/forward.hpp"
#include "host/core/failure.hpp"
#include "host/io/interrupt.hpp"

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

void add_losses(TextScore& score, std::span<const LogitScore> rows, std::span<const std::uint32_t> bytes) {
  for (const LogitScore& row : rows) {
    if (!std::isfinite(row.loss)) {
      throw Failure(
          fmt::format("{}: the model's logits are not numbers; its weights are damaged", score.model));
    }
    score.loss.add(row.loss);
  }
  score.bytes += std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
}

}  // namespace

WindowEvaluator::WindowEvaluator(LoadedModel& model, LoadedModel* reference, Evaluation& evaluation) noexcept
    : model_(model.engine()),
      reference_(reference == nullptr ? nullptr : &reference->engine()),
      evaluation_(evaluation) {}

bool WindowEvaluator::run(const EvaluationWindow& window) {
  const std::span<const std::int32_t> tokens(window.tokens);
  const std::vector<std::uint32_t> bytes = spelled_bytes(model_.tokenizer, tokens);
  // The last token is predicted, and predicts nothing.
  const auto end = static_cast<std::uint32_t>(tokens.size() - 1);
  const std::uint32_t first_row = window.first_scored - 1;
  std::uint32_t position = 0;
  while (position < end) {
    const bool is_scored = position >= first_row;
    const std::uint32_t limit = is_scored ? end : first_row;
    const std::uint32_t count = std::min(batch(is_scored), limit - position);
    if (!forward_both(tokens.subspan(position, count), position, is_scored)) return false;
    if (is_scored) add(tokens.subspan(position + 1, count), std::span(bytes).subspan(position + 1, count));
    position += count;
  }
  count_tokens(tokens.size());
  return true;
}

std::uint32_t WindowEvaluator::batch(bool is_scored) const noexcept {
  std::uint32_t tokens = std::numeric_limits<std::uint32_t>::max();
  for (const Engine* const engine : {&model_, reference_}) {
    if (engine == nullptr) continue;
    const PlanOptions& options = engine->plan.options;
    tokens = std::min({tokens, options.batch, is_scored ? options.logit_rows : options.batch});
  }
  return tokens;
}

bool WindowEvaluator::forward_both(std::span<const std::int32_t> tokens, std::uint32_t position,
                                   bool is_scored) {
  const LogitsFor logits_for = is_scored ? LogitsFor::all_tokens : LogitsFor::none;
  for (Engine* const engine : {&model_, reference_}) {
    if (engine == nullptr) continue;
    const Status status = forward(*engine, tokens, position, logits_for, interrupt_hook());
    if (!status && status.error().kind == ErrorKind::interrupted) return false;
    require(status);
  }
  return true;
}

void WindowEvaluator::add(std::span<const std::int32_t> targets, std::span<const std::uint32_t> bytes) {
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

void WindowEvaluator::count_tokens(std::uint64_t count) {
  evaluation_.model.tokens += count;
  if (reference_ != nullptr) evaluation_.reference->tokens += count;
}

}  // namespace pspllm::host
