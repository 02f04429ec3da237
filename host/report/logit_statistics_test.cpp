#include "host/report/logit_statistics.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace pspllm::host {

TEST_CASE("a mean knows its error") {
  RunningMean mean;
  CHECK(mean.mean() == 0.0);
  for (const double value : {1.0, 2.0, 3.0, 6.0}) mean.add(value);
  CHECK(mean.mean() == 3.0);
  // E[x^2] = 12.5, E[x]^2 = 9, three degrees of freedom.
  CHECK(mean.standard_error() == doctest::Approx(std::sqrt(3.5 / 3.0)));
}

TEST_CASE("equal logits cost the logarithm of their number, whatever their size") {
  for (const float level : {0.0F, 1e4F, -1e4F}) {
    const std::vector<float> logits(50, level);
    const LogitScore score = score_logits(logits, 7);
    CHECK(score.loss == doctest::Approx(std::log(50.0)));
    CHECK(score.best == 0);
  }
}

TEST_CASE("a loss is the logarithm of the softmax") {
  const std::vector<float> logits{1.0F, 3.0F, 2.0F};
  const double sum = std::exp(1.0) + std::exp(3.0) + std::exp(2.0);
  const LogitScore score = score_logits(logits, 2);
  CHECK(score.loss == doctest::Approx(std::log(sum) - 2.0));
  CHECK(score.best == 1);
}

TEST_CASE("a logit that is no number shows") {
  const std::vector<float> logits{1.0F, std::numeric_limits<float>::quiet_NaN(), 2.0F};
  CHECK(std::isnan(score_logits(logits, 0).loss));
}

TEST_CASE("the divergence is 0 for equal distributions and the textbook's for others") {
  const std::vector<float> reference{std::log(0.5F), std::log(0.25F), std::log(0.25F)};
  const std::vector<float> model{std::log(0.25F) + 5.0F, std::log(0.25F) + 5.0F, std::log(0.5F) + 5.0F};
  const double zero = score_logits(reference, 0).log_normalizer;
  const double five = score_logits(model, 0).log_normalizer;
  CHECK(divergence(reference, zero, reference, zero) == doctest::Approx(0.0));
  const double expected = 0.5 * std::log(2.0) + 0.25 * std::log(1.0) + 0.25 * std::log(0.5);
  CHECK(divergence(reference, zero, model, five) == doctest::Approx(expected));
}

}  // namespace pspllm::host
