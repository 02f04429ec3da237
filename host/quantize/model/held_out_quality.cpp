#include "host/quantize/model/held_out_quality.hpp"

#include <algorithm>
#include <cmath>

#include "engine/math/host/exact_math_host.hpp"
#include "host/quantize/dense/multiply.hpp"

namespace pspllm::host {
namespace {

/// Tokens whose logits are in memory at a time.
constexpr std::size_t tokens_per_block = 32;

/// Logits to log-probabilities, in place.
void take_logarithms(std::span<float> row, std::vector<float>& scratch) {
  const float largest = *std::max_element(row.begin(), row.end());
  for (float& value : row) value -= largest;
  scratch.assign(row.begin(), row.end());
  exp_many(scratch, scratch);
  double sum = 0.0;
  for (const float value : scratch) sum += static_cast<double>(value);
  const auto log_sum = static_cast<float>(std::log(sum));
  for (float& value : row) value -= log_sum;
}

FloatMatrix log_probabilities(const MatrixView& hidden, const FloatMatrix& classifier) {
  FloatMatrix result(hidden.rows, classifier.rows);
  multiply(hidden, classifier.view().transposed(), result.mutable_view());
  std::vector<float> scratch;
  for (std::size_t row = 0; row < result.rows; ++row) {
    take_logarithms({result.row(row), result.cols}, scratch);
  }
  return result;
}

double divergence(std::span<const float> reference, const float* quantized, std::vector<float>& scratch) {
  scratch.assign(reference.begin(), reference.end());
  exp_many(scratch, scratch);
  double sum = 0.0;
  for (std::size_t i = 0; i < scratch.size(); ++i) {
    sum += static_cast<double>(scratch[i]) *
           (static_cast<double>(reference[i]) - static_cast<double>(quantized[i]));
  }
  return sum;
}

/// Sums over the predictions of hidden states [first, first + n) of a window, of which each predicts the next
/// token.
void add_block(const MatrixView& reference_hidden, const MatrixView& quantized_hidden,
               const std::int32_t* next, const FloatMatrix& reference, const FloatMatrix& quantized,
               HeldOutQuality& sums) {
  const FloatMatrix expected = log_probabilities(reference_hidden, reference);
  const FloatMatrix found = log_probabilities(quantized_hidden, quantized);
  std::vector<float> scratch;
  for (std::size_t row = 0; row < expected.rows; ++row) {
    const std::span<const float> p{expected.row(row), expected.cols};
    const std::span<const float> q{found.row(row), found.cols};
    const auto token = static_cast<std::size_t>(next[row]);
    ++sums.tokens;
    sums.reference_loss -= static_cast<double>(p[token]);
    sums.quantized_loss -= static_cast<double>(q[token]);
    sums.divergence += divergence(p, q.data(), scratch);
    const bool agree =
        std::max_element(p.begin(), p.end()) - p.begin() == std::max_element(q.begin(), q.end()) - q.begin();
    sums.top_agreement += agree ? 1.0 : 0.0;
  }
}

}  // namespace

HeldOutQuality held_out_quality(CalibrationRun& run, const CalibrationTokens& calibration,
                                std::span<const float> final_norm, const FloatMatrix& reference,
                                const FloatMatrix& quantized) {
  std::vector<HeldOutQuality> parts(run.held_out_windows);
  for_each_unit(run.parallel, static_cast<std::uint32_t>(parts.size()), [&](std::uint32_t part) {
    const std::size_t window = run.fitted_windows + part;
    const std::int32_t* const ids = calibration.ids.data() + window * run.window;
    const auto hidden_of = [&](FloatMatrix& stream) {
      FloatMatrix hidden(run.window, stream.cols);
      normalise_rows(rows_of_window(stream, run.window, window).view(), final_norm,
                     run.shape.config.norm_epsilon, hidden.mutable_view());
      return hidden;
    };
    const FloatMatrix expected = hidden_of(run.reference);
    const FloatMatrix found = hidden_of(run.quantised);
    for (std::size_t first = 0; first + 1 < run.window; first += tokens_per_block) {
      const std::size_t n = std::min(tokens_per_block, run.window - 1 - first);
      add_block(expected.view().block(first, 0, n, expected.cols),
                found.view().block(first, 0, n, found.cols), ids + first + 1, reference, quantized,
                parts[part]);
    }
  });
  HeldOutQuality quality;
  for (const HeldOutQuality& part : parts) {
    quality.tokens += part.tokens;
    quality.reference_loss += part.reference_loss;
    quality.quantized_loss += part.quantized_loss;
    quality.divergence += part.divergence;
    quality.top_agreement += part.top_agreement;
  }
  const auto tokens = static_cast<double>(std::max<std::uint64_t>(quality.tokens, 1));
  quality.reference_loss /= tokens;
  quality.quantized_loss /= tokens;
  quality.divergence /= tokens;
  quality.top_agreement /= tokens;
  return quality;
}

}  // namespace pspllm::host
