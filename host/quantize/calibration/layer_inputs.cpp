#include "host/quantize/calibration/layer_inputs.hpp"

#include <algorithm>
#include <utility>

#include "host/quantize/calibration/pass_layer.hpp"

namespace pspllm::host {
namespace {

/// Writes one window's inputs of a matrix, from its normalised stream.
using FillInputs = std::function<void(const MatrixView& normed, const MutableView& inputs)>;

DoubleMatrix gather(CalibrationRun& run, const std::vector<float>& norm, const std::vector<float>& weights,
                    std::size_t dim, const FillInputs& fill) {
  InputMoments moments =
      gather_moments(run, dim, 0, [&](std::size_t window, const MutableView& inputs, const MutableView&) {
        const MutableView rows = rows_of_window(run.reference, run.window, window);
        FloatMatrix normed(rows.rows, rows.cols);
        normalise_rows(rows.view(), norm, run.shape.config.norm_epsilon, normed.mutable_view());
        fill(normed.view(), inputs);
        const float* const factors = weights.data() + window * run.window;
        for (std::size_t row = 0; row < inputs.rows; ++row) {
          float* const values = inputs.data + row * inputs.row_stride;
          for (std::size_t col = 0; col < dim; ++col) values[col] *= factors[row];
        }
      });
  return std::move(moments.inputs);
}

void copy_rows(const MatrixView& from, const MutableView& to) {
  for (std::size_t row = 0; row < from.rows; ++row) {
    std::copy_n(from.data + row * from.row_stride, from.cols, to.data + row * to.row_stride);
  }
}

}  // namespace

const DoubleMatrix& LayerInputs::of(TensorRole role) const noexcept {
  switch (role) {
    case TensorRole::attention_output:
      return mixes;
    case TensorRole::gate:
    case TensorRole::up:
      return ffn_normed;
    case TensorRole::down:
      return active;
    default:
      return attention_normed;
  }
}

LayerInputs pass_layer_measuring(const FloatLayer& layer, CalibrationRun& run) {
  const std::size_t dim = run.shape.config.dim;
  LayerInputs inputs;
  std::vector<float> weights = token_weights(run);
  inputs.attention_normed = gather(run, layer.attention_norm, weights, dim, copy_rows);
  inputs.mixes = gather(
      run, layer.attention_norm, weights, dim,
      [&](const MatrixView& normed, const MutableView& mixes) { attend(run.shape, layer, normed, mixes); });
  pass_attention(layer, run, run.reference);
  weights = token_weights(run);
  inputs.ffn_normed = gather(run, layer.ffn_norm, weights, dim, copy_rows);
  inputs.active =
      gather(run, layer.ffn_norm, weights, layer.down.cols,
             [&](const MatrixView& normed, const MutableView& active) { activate(layer, normed, active); });
  pass_feed_forward(layer, run, run.reference);
  return inputs;
}

}  // namespace pspllm::host
