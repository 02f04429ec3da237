// What a row of logits says about the token that came: losses, divergences, and their means with errors.
#pragma once

#include <cstdint>
#include <span>

namespace pspllm::host {

/// Mean of values that came one after the other, and how sure it is.
class RunningMean {
 public:
  void add(double value) noexcept {
    ++count_;
    sum_ += value;
    squares_ += value * value;
  }
  void add(const RunningMean& others) noexcept {
    count_ += others.count_;
    sum_ += others.sum_;
    squares_ += others.squares_;
  }

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] double sum() const noexcept { return sum_; }
  /// 0 where there is no value.
  [[nodiscard]] double mean() const noexcept;
  /// Standard error of the mean, as llama.cpp's perplexity tool computes it: sqrt((E[x^2] - E[x]^2) / (n -
  /// 1)), as if neighbouring tokens were independent; 0 below two values.
  [[nodiscard]] double standard_error() const noexcept;

 private:
  std::uint64_t count_ = 0;
  double sum_ = 0.0;
  double squares_ = 0.0;
};

/// What one row of logits says: how surprising the token was, and which one was likeliest.
struct LogitScore {
  double loss = 0.0;            ///< -ln p(token), nats; not a number where a logit is none
  double log_normalizer = 0.0;  ///< ln of the sum of exp(logit)
  std::uint32_t best = 0;       ///< the first largest logit's index
};

/// token: [0, logits.size()).
[[nodiscard]] LogitScore score_logits(std::span<const float> logits, std::uint32_t token) noexcept;

/// Kullback-Leibler divergence of the model's distribution from the reference's, in nats: the sum over tokens
/// of p_reference * (ln p_reference - ln p_model). Rows of one length; normalizers from score_logits().
[[nodiscard]] double divergence(std::span<const float> reference, double reference_normalizer,
                                std::span<const float> model, double model_normalizer) noexcept;

}  // namespace pspllm::host
