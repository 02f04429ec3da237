#include "host/report/logit_statistics.hpp"

#include <algorithm>
#include <cmath>

namespace pspllm::host {

double RunningMean::mean() const noexcept {
  return count_ == 0 ? 0.0 : sum_ / static_cast<double>(count_);
}

double RunningMean::standard_error() const noexcept {
  if (count_ < 2) return 0.0;
  const auto count = static_cast<double>(count_);
  const double variance = squares_ / count - mean() * mean();
  return variance > 0.0 ? std::sqrt(variance / (count - 1.0)) : 0.0;
}

LogitScore score_logits(std::span<const float> logits, std::uint32_t token) noexcept {
  LogitScore score;
  score.best = static_cast<std::uint32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
  const float largest = logits[score.best];
  double sum = 0.0;
  for (const float logit : logits) sum += static_cast<double>(std::exp(logit - largest));
  score.log_normalizer = static_cast<double>(largest) + std::log(sum);
  score.loss = score.log_normalizer - static_cast<double>(logits[token]);
  return score;
}

double divergence(std::span<const float> reference, double reference_normalizer, std::span<const float> model,
                  double model_normalizer) noexcept {
  const auto normalizer = static_cast<float>(reference_normalizer);
  double sum = 0.0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const auto probability = static_cast<double>(std::exp(reference[i] - normalizer));
    sum += probability * (static_cast<double>(reference[i]) - static_cast<double>(model[i]));
  }
  return sum - reference_normalizer + model_normalizer;
}

}  // namespace pspllm::host
