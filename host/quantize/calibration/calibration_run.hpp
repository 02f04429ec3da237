// The residual streams of a calibration text on their way through the layers: one of the reference model, one
// of the model quantised so far. Only these are kept; what lies inside a layer is computed again where
// needed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "engine/ops/parallel.hpp"
#include "host/quantize/calibration/layer_forward.hpp"
#include "host/quantize/calibration/moment_sum.hpp"
#include "host/quantize/codes/coding_problem.hpp"

namespace pspllm::host {

/// Windows that the model is fitted to come first, then those that it is only watched on.
struct CalibrationRun {
  const DecoderShape& shape;
  Parallel parallel;
  std::function<void(std::size_t tokens)> advance;  ///< called as tokens pass a stage; may throw
  std::size_t window = 0;                           ///< tokens
  std::size_t fitted_windows = 0;
  std::size_t held_out_windows = 0;
  FloatMatrix reference{};  // [tokens, dim]
  FloatMatrix quantised{};  // [tokens, dim]
  FloatMatrix mixes{};      // [tokens, dim]: what the attention output matrix gets in the quantised model

  [[nodiscard]] std::size_t windows() const noexcept { return fitted_windows + held_out_windows; }
  [[nodiscard]] std::size_t fitted_tokens() const noexcept { return fitted_windows * window; }
  [[nodiscard]] std::size_t tokens() const noexcept { return windows() * window; }
};

/// Windows that are worked on together: their activations are the memory that a layer needs.
inline constexpr std::size_t windows_per_batch = 8;

/// Calls body(first_window, n_windows) for batches, none of which holds windows of both kinds.
template <typename Body>
void for_each_batch(const CalibrationRun& run, Body body) {
  for (std::size_t first = 0; first < run.windows();) {
    const std::size_t end = first < run.fitted_windows ? run.fitted_windows : run.windows();
    const std::size_t n = std::min(windows_per_batch, end - first);
    body(first, n);
    run.advance(n * run.window);
    first += n;
  }
}

/// Calls body(window) for windows of a batch, on any thread in any order.
template <typename Body>
void for_each_window(const CalibrationRun& run, std::size_t first, std::size_t n, Body body) {
  for_each_unit(run.parallel, static_cast<std::uint32_t>(n), [&](std::uint32_t unit) { body(first + unit); });
}

/// The rows of one window.
[[nodiscard]] inline MutableView rows_of_window(FloatMatrix& matrix, std::size_t rows_per_window,
                                                std::size_t window) noexcept {
  return matrix.mutable_view().block(window * rows_per_window, 0, rows_per_window, matrix.cols);
}

/// What a matrix is fitted to.
struct InputMoments {
  DoubleMatrix inputs;    // E[x x^T], x the quantised model's inputs
  DoubleMatrix held_out;  // the same over the held-out windows
  DoubleMatrix targets;   // E[t x^T], t what stands on the other side
};

/// Fills one window's inputs and targets, both [window, dim of each].
using FillWindow =
    std::function<void(std::size_t window, const MutableView& inputs, const MutableView& targets)>;

[[nodiscard]] InputMoments gather_moments(const CalibrationRun& run, std::size_t input_dim,
                                          std::size_t target_dim, const FillWindow& fill);

/// Weight of each token in the error of what is added to the streams: the square root of 1 / |x|^2, so that
/// tokens whose stream is huge (the first of a text, mostly) do not decide alone; relative to the median of
/// the fitted tokens, at most 2.
[[nodiscard]] std::vector<float> token_weights(const CalibrationRun& run);

/// Mean of w^2 |quantised - reference|^2 over mean of w^2 |reference|^2, for tokens [first, first + n).
[[nodiscard]] double stream_error(const CalibrationRun& run, const std::vector<float>& weights,
                                  std::size_t first, std::size_t n);

}  // namespace pspllm::host
