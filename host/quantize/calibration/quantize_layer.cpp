#include "host/quantize/calibration/quantize_layer.hpp"

#include <utility>

#include "host/quantize/calibration/pass_layer.hpp"
#include "host/quantize/dense/factor.hpp"
#include "host/quantize/dense/multiply.hpp"

namespace pspllm::host {
namespace {

void normalise(const CalibrationRun& run, const MatrixView& stream, const std::vector<float>& weight,
               const MutableView& out) {
  normalise_rows(stream, weight, run.shape.config.norm_epsilon, out);
}

void scale_rows(const MutableView& rows, const float* factors) {
  for (std::size_t row = 0; row < rows.rows; ++row) {
    for (std::size_t col = 0; col < rows.cols; ++col) rows.data[row * rows.row_stride + col] *= factors[row];
  }
}

/// The weights that give the targets best: W + (E[t x^T] - W E[x x^T]) (E[x x^T] + ridge)^-1.
FloatMatrix corrected_weights(const FloatMatrix& weights, const InputMoments& moments,
                              const FloatMatrix& targets, double ridge, const Parallel& parallel) {
  FloatMatrix inputs(moments.inputs.rows, moments.inputs.cols);
  std::copy(moments.inputs.values.begin(), moments.inputs.values.end(), inputs.values.begin());
  FloatMatrix missing = targets;
  for_each_row_stripe(
      parallel, static_cast<std::uint32_t>(weights.rows), [&](std::uint32_t first, std::uint32_t n) {
        FloatMatrix given(n, weights.cols);
        multiply(weights.view().block(first, 0, n, weights.cols), inputs.view(), given.mutable_view());
        for (std::size_t i = 0; i < given.values.size(); ++i) missing.row(first)[i] -= given.values[i];
      });
  FloatMatrix result = solve_right(moments.inputs, ridge, missing);
  for (std::size_t i = 0; i < result.values.size(); ++i) result.values[i] += weights.values[i];
  return result;
}

FloatMatrix to_floats(const DoubleMatrix& matrix) {
  FloatMatrix result(matrix.rows, matrix.cols);
  std::copy(matrix.values.begin(), matrix.values.end(), result.values.begin());
  return result;
}

class LayerQuantizer {
 public:
  LayerQuantizer(const FloatLayer& reference, const LayerOptions& options, CalibrationRun& run)
      : reference_(reference), options_(options), run_(run) {
    student_.attention_norm = reference.attention_norm;
    student_.ffn_norm = reference.ffn_norm;
  }

  QuantizedLayer run() {
    quantize_normed(reference_.attention_norm, {0, 1, 2});
    pass_attention(reference_, run_, run_.reference);
    weights_ = token_weights(run_);
    quantize_attention_output();
    quantize_normed(reference_.ffn_norm, {4, 5});
    pass_feed_forward(reference_, run_, run_.reference);
    weights_ = token_weights(run_);
    quantize_down();
    pass_feed_forward(student_, run_, run_.quantised);
    result_.stream_error = stream_error(run_, weights_, 0, run_.fitted_tokens());
    result_.held_out_stream_error =
        stream_error(run_, weights_, run_.fitted_tokens(), run_.held_out_windows * run_.window);
    return std::move(result_);
  }

 private:
  /// Matrices behind a norm: the targets are the reference's own outputs.
  void quantize_normed(const std::vector<float>& norm, std::initializer_list<std::size_t> indices) {
    const std::size_t dim = norm.size();
    const InputMoments moments = gather_moments(
        run_, dim, dim, [&](std::size_t window, const MutableView& inputs, const MutableView& targets) {
          normalise(run_, rows_of_window(run_.quantised, run_.window, window).view(), norm, inputs);
          normalise(run_, rows_of_window(run_.reference, run_.window, window).view(), norm, targets);
        });
    const FloatMatrix cross = to_floats(moments.targets);
    for (const std::size_t index : indices) {
      const FloatMatrix& weights = reference_weights(index);
      FloatMatrix targets(weights.rows, weights.cols);
      for_each_row_stripe(run_.parallel, static_cast<std::uint32_t>(weights.rows),
                          [&](std::uint32_t first, std::uint32_t n) {
                            multiply(weights.view().block(first, 0, n, dim), cross.view(),
                                     targets.mutable_view().block(first, 0, n, dim));
                          });
      quantize(index, moments, targets);
    }
  }

  /// The target of what is added to the quantised stream: all that it lacks.
  void fill_missing(std::size_t window, const MutableView& targets) {
    const MatrixView expected = rows_of_window(run_.reference, run_.window, window).view();
    const MatrixView present = rows_of_window(run_.quantised, run_.window, window).view();
    for (std::size_t row = 0; row < targets.rows; ++row) {
      for (std::size_t col = 0; col < targets.cols; ++col) {
        const std::size_t at = row * targets.row_stride + col;
        targets.data[at] = expected.data[at] - present.data[at];
      }
    }
    scale_rows(targets, weights_.data() + window * run_.window);
  }

  void quantize_attention_output() {
    const std::size_t dim = run_.shape.config.dim;
    const InputMoments moments = gather_moments(
        run_, dim, dim, [&](std::size_t window, const MutableView& inputs, const MutableView& targets) {
          FloatMatrix normed(run_.window, dim);
          normalise(run_, rows_of_window(run_.quantised, run_.window, window).view(), student_.attention_norm,
                    normed.mutable_view());
          const MutableView mixes = rows_of_window(run_.mixes, run_.window, window);
          attend(run_.shape, student_, normed.view(), mixes);
          for (std::size_t row = 0; row < mixes.rows; ++row) {
            std::copy_n(mixes.data + row * mixes.row_stride, dim, inputs.data + row * inputs.row_stride);
          }
          scale_rows(inputs, weights_.data() + window * run_.window);
          fill_missing(window, targets);
        });
    quantize(3, moments, to_floats(moments.targets));
    for_each_batch(run_, [&](std::size_t first, std::size_t n) {
      for_each_window(run_, first, n, [&](std::size_t window) {
        add_projection(rows_of_window(run_.mixes, run_.window, window).view(), student_.attention_output,
                       rows_of_window(run_.quantised, run_.window, window));
      });
    });
  }

  void quantize_down() {
    const std::size_t dim = run_.shape.config.dim;
    const InputMoments moments =
        gather_moments(run_, reference_.down.cols, dim,
                       [&](std::size_t window, const MutableView& inputs, const MutableView& targets) {
                         FloatMatrix normed(run_.window, dim);
                         normalise(run_, rows_of_window(run_.quantised, run_.window, window).view(),
                                   student_.ffn_norm, normed.mutable_view());
                         activate(student_, normed.view(), inputs);
                         scale_rows(inputs, weights_.data() + window * run_.window);
                         fill_missing(window, targets);
                       });
    quantize(6, moments, to_floats(moments.targets));
  }

  [[nodiscard]] const FloatMatrix& reference_weights(std::size_t index) const {
    return reference_.matrix(layer_matrix_roles[index]);
  }

  void quantize(std::size_t index, const InputMoments& moments, const FloatMatrix& targets) {
    MatrixOptions options = options_.matrix;
    options.code_width = options_.code_widths[index];
    options.seed = options_.seed + index;
    const FloatMatrix weights =
        corrected_weights(reference_weights(index), moments, targets, options_.ridge, run_.parallel);
    CodeWeights& codes = result_.matrices[index] =
        quantize_matrix(weights, moments.inputs, options, run_.parallel);
    FloatMatrix& floats = student_.matrix(layer_matrix_roles[index]) = dequantize(codes);
    result_.fits[index] = {relative_error(weights, floats, moments.inputs, run_.parallel),
                           relative_error(weights, floats, moments.held_out, run_.parallel)};
  }

  const FloatLayer& reference_;
  const LayerOptions& options_;
  CalibrationRun& run_;
  FloatLayer student_;
  std::vector<float> weights_;
  QuantizedLayer result_;
};

}  // namespace

QuantizedLayer quantize_layer(const FloatLayer& reference, const LayerOptions& options, CalibrationRun& run) {
  return LayerQuantizer(reference, options, run).run();
}

}  // namespace pspllm::host
