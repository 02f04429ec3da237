#include "host/quantize/calibration/calibration_run.hpp"

#include <cmath>

namespace pspllm::host {

InputMoments gather_moments(const CalibrationRun& run, std::size_t input_dim, std::size_t target_dim,
                            const FillWindow& fill) {
  MomentSum inputs(input_dim, input_dim);
  MomentSum held_out(input_dim, input_dim);
  MomentSum targets(target_dim, input_dim);
  FloatMatrix x(windows_per_batch * run.window, input_dim);
  FloatMatrix t(windows_per_batch * run.window, target_dim);
  for_each_batch(run, [&](std::size_t first, std::size_t n) {
    for_each_window(run, first, n, [&](std::size_t window) {
      fill(window, rows_of_window(x, run.window, window - first),
           rows_of_window(t, run.window, window - first));
    });
    const MatrixView batch_inputs = x.view().block(0, 0, n * run.window, input_dim);
    if (first < run.fitted_windows) {
      inputs.add(batch_inputs, batch_inputs, run.parallel);
      targets.add(t.view().block(0, 0, n * run.window, target_dim), batch_inputs, run.parallel);
    } else {
      held_out.add(batch_inputs, batch_inputs, run.parallel);
    }
  });
  return {inputs.mean(), held_out.mean(), targets.mean()};
}

std::vector<float> token_weights(const CalibrationRun& run) {
  constexpr double smallest_energy = 1e-6;
  constexpr double largest_share = 4.0;
  std::vector<double> inverse(run.tokens());
  for (std::size_t t = 0; t < inverse.size(); ++t) {
    double energy = 0.0;
    for (std::size_t i = 0; i < run.reference.cols; ++i) {
      energy += static_cast<double>(run.reference.at(t, i)) * static_cast<double>(run.reference.at(t, i));
    }
    inverse[t] = 1.0 / std::max(energy, smallest_energy);
  }
  std::vector<double> fitted(inverse.begin(),
                             inverse.begin() + static_cast<std::ptrdiff_t>(run.fitted_tokens()));
  const auto middle = fitted.begin() + static_cast<std::ptrdiff_t>(fitted.size() / 2);
  std::nth_element(fitted.begin(), middle, fitted.end());
  std::vector<float> weights(inverse.size());
  for (std::size_t t = 0; t < weights.size(); ++t) {
    weights[t] = static_cast<float>(std::sqrt(std::min(inverse[t] / *middle, largest_share)));
  }
  return weights;
}

double stream_error(const CalibrationRun& run, const std::vector<float>& weights, std::size_t first,
                    std::size_t n) {
  double error = 0.0;
  double energy = 0.0;
  for (std::size_t t = first; t < first + n; ++t) {
    double token_error = 0.0;
    double token_energy = 0.0;
    for (std::size_t i = 0; i < run.reference.cols; ++i) {
      const auto expected = static_cast<double>(run.reference.at(t, i));
      const double difference = static_cast<double>(run.quantised.at(t, i)) - expected;
      token_error += difference * difference;
      token_energy += expected * expected;
    }
    const double weight = static_cast<double>(weights[t]) * static_cast<double>(weights[t]);
    error += weight * token_error;
    energy += weight * token_energy;
  }
  return energy > 0.0 ? error / energy : 0.0;
}

}  // namespace pspllm::host
