// How well a model predicts a text: perplexity, bits per byte, and how far it is from a reference.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "host/model/loaded_model.hpp"
#include "host/report/logit_statistics.hpp"

namespace pspllm::host {

/// The shortest window whose second half predicts a token.
inline constexpr std::uint32_t smallest_window = 4;

/// Which tokens are scored. A text falls into windows that share nothing; a window's first token is BOS where
/// the vocabulary puts one in front of texts.
struct EvaluationOptions {
  std::uint32_t context = 512;   ///< tokens of a window; at least smallest_window
  std::uint64_t max_tokens = 0;  ///< of the text's beginning; 0: all
  /// false: of each whole window the second half, from token context / 2 + 1 on, as llama.cpp's perplexity
  /// tool counts. true: every token behind a window's first, the last, short window too.
  bool all_tokens = false;
  bool marked = false;  ///< where the text spells a special token, it means it (marked_tokens_of())
};

/// One model on one text.
struct TextScore {
  std::string model;         ///< path
  std::uint64_t tokens = 0;  ///< of the windows
  RunningMean loss;          ///< nats a scored token
  std::uint64_t bytes = 0;   ///< that the scored tokens spell

  /// The same model on another text.
  void add(const TextScore& other) noexcept;
  [[nodiscard]] double perplexity() const noexcept;
  /// Standard error: that of the mean loss times the perplexity.
  [[nodiscard]] double perplexity_error() const noexcept;
  [[nodiscard]] double bits_per_byte() const noexcept;
};

struct Evaluation {
  std::string text;  ///< its name
  EvaluationOptions options;
  TextScore model;
  std::optional<TextScore> reference;
  /// Token by token; empty where the reference splits the text into other tokens: then bits per byte alone
  /// compare.
  RunningMean divergence;  ///< Kullback-Leibler, nats
  RunningMean agreement;   ///< 1 where both think the same token the likeliest
  double seconds = 0.0;
  bool stopped = false;  ///< by the user; the figures hold what was finished

  [[nodiscard]] bool compares_tokens() const noexcept { return divergence.count() > 0; }
};

/// Memory plan that evaluate() needs: `batch` positions with logits a pass, a cache of one window.
[[nodiscard]] PlanOptions evaluation_plan(const EvaluationOptions& options, std::uint32_t batch) noexcept;

/// Scores `text` (which came from `text_name`); `reference` may be null. Both models hold a window
/// (evaluation_plan(), or any plan of such a context). Throws Failure: a text too short for the windows, one
/// that the vocabulary cannot spell, logits that are not numbers.
[[nodiscard]] Evaluation evaluate(LoadedModel& model, LoadedModel* reference, std::string_view text,
                                  const std::string& text_name, const EvaluationOptions& options);

[[nodiscard]] std::string evaluation_text(const Evaluation& evaluation);
/// Perplexity with its error, bits per byte and what they were counted over.
[[nodiscard]] nlohmann::json score_json(const TextScore& score);
[[nodiscard]] nlohmann::json evaluation_json(const Evaluation& evaluation);

}  // namespace pspllm::host
