#include "host/quantize/model/measure_rates.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "host/quantize/calibration/layer_inputs.hpp"
#include "host/quantize/calibration/pass_layer.hpp"
#include "host/quantize/model/held_out_quality.hpp"
#include "host/quantize/model/vocabulary_moments.hpp"

namespace pspllm::host {
namespace {

constexpr std::size_t fitted_windows_used = 8;
constexpr std::size_t held_out_windows_used = 2;

/// Widths that are measured; at the last of the layers' the matrices are put into the model.
constexpr std::array layer_widths{2U, 4U, 6U};
constexpr std::uint32_t tried_width = 6;
constexpr std::array vocabulary_widths{2U, 4U};

/// Rows that the error of a width is measured on.
constexpr std::size_t rows_measured = 256;

/// Layers are tried together in so many groups.
constexpr std::uint32_t layer_groups = 3;

constexpr double smallest_error = 1e-9;

/// Of a matrix's rows every so manieth, at most `largest`.
FloatMatrix some_rows(const FloatMatrix& matrix, std::size_t largest) {
  const std::size_t step = (matrix.rows + largest - 1) / largest;
  FloatMatrix result((matrix.rows + step - 1) / step, matrix.cols);
  for (std::size_t row = 0; row < result.rows; ++row) {
    std::copy_n(matrix.row(row * step), matrix.cols, result.row(row));
  }
  return result;
}

class RateMeter {
 public:
  RateMeter(const Checkpoint& checkpoint, const CalibrationTokens& calibration,
            const QuantizeObserver& observer, std::uint64_t seed, const Parallel& parallel)
      : checkpoint_(checkpoint),
        observer_(observer),
        parallel_(parallel),
        config_(checkpoint.config),
        shape_(make_decoder_shape(config_, checkpoint.rope_frequencies, calibration.window)),
        final_norm_(read_tensor(checkpoint, TensorRole::final_norm, 0).values),
        table_(read_tensor(checkpoint, TensorRole::token_embedding, 0)),
        codes_(config_.n_layers),
        errors_(config_.n_layers) {
    quick_.sweeps = 0;
    quick_.kmeans_rounds = 5;
    quick_.kmeans_samples = 16384;
    quick_.seed = seed;
    take_windows(calibration);
    const std::uint64_t tried_layers =
        std::uint64_t{config_.n_layers} * layer_matrix_roles.size() * (layer_groups + 1) / 2;
    steps_ = config_.n_layers + tried_layers + vocabulary_widths.size() * config_.n_layers;
  }

  RateTable run() {
    measure_layers();
    RateTable table;
    table.matrices.resize(config_.n_layers);
    for (std::uint32_t group = 0; group < groups(); ++group) {
      for (std::size_t i = 0; i < layer_matrix_roles.size(); ++i) try_matrices(group, i, table);
    }
    if (config_.tied_classifier) {
      table.embedding = try_vocabulary(true, true);
    } else {
      table.embedding = try_vocabulary(true, false);
      table.classifier = try_vocabulary(false, true);
    }
    return table;
  }

 private:
  [[nodiscard]] std::uint32_t groups() const { return std::min(layer_groups, config_.n_layers); }
  [[nodiscard]] std::uint32_t group_begin(std::uint32_t group) const {
    return config_.n_layers * group / groups();
  }

  /// The first fitted windows, and the first held-out ones.
  void take_windows(const CalibrationTokens& calibration) {
    const auto take = [&](std::size_t first, std::size_t n, CalibrationTokens& to) {
      to.window = calibration.window;
      const auto begin = calibration.ids.begin() + static_cast<std::ptrdiff_t>(first * calibration.window);
      to.ids.assign(begin, begin + static_cast<std::ptrdiff_t>(n * calibration.window));
    };
    fitted_.fitted_windows = std::min(fitted_windows_used, calibration.fitted_windows);
    take(0, fitted_.fitted_windows, fitted_);
    tried_.held_out_windows = std::min(held_out_windows_used, calibration.held_out_windows);
    take(calibration.fitted_windows, tried_.held_out_windows, tried_);
  }

  void step() { observer_.progress(std::min(++steps_done_, steps_), steps_); }

  CalibrationRun start_run(const CalibrationTokens& windows) {
    CalibrationRun run{.shape = shape_, .parallel = parallel_, .advance = [](std::size_t) {}};
    run.window = windows.window;
    run.fitted_windows = windows.fitted_windows;
    run.held_out_windows = windows.held_out_windows;
    return run;
  }

  [[nodiscard]] FloatMatrix embed(const FloatMatrix& table, const CalibrationTokens& windows) const {
    FloatMatrix stream(windows.ids.size(), table.cols);
    for (std::size_t t = 0; t < windows.ids.size(); ++t) {
      std::copy_n(table.row(static_cast<std::size_t>(windows.ids[t])), table.cols, stream.row(t));
    }
    return stream;
  }

  /// Relative errors of all matrices on the reference model's own inputs; its streams on the tried windows
  /// before each group of layers and behind the last.
  void measure_layers() {
    CalibrationRun fitted = start_run(fitted_);
    fitted.reference = embed(table_, fitted_);
    CalibrationRun tried = start_run(tried_);
    tried.reference = embed(table_, tried_);
    for (std::uint32_t layer = 0; layer < config_.n_layers; ++layer) {
      for (std::uint32_t group = 0; group < groups(); ++group) {
        if (group_begin(group) == layer) before_group_.push_back(tried.reference);
      }
      const FloatLayer floats = read_layer(checkpoint_, layer);
      const LayerInputs inputs = pass_layer_measuring(floats, fitted);
      for (std::size_t i = 0; i < layer_matrix_roles.size(); ++i) {
        measure_matrix(layer, i, floats.matrix(layer_matrix_roles[i]), inputs.of(layer_matrix_roles[i]));
      }
      pass_layer(floats, tried, tried.reference);
      step();
    }
    behind_all_ = std::move(tried.reference);
    last_inputs_ = std::move(fitted.reference);
  }

  void measure_matrix(std::uint32_t layer, std::size_t index, const FloatMatrix& weights,
                      const DoubleMatrix& moments) {
    MatrixOptions options = quick_;
    options.seed += layer * layer_matrix_roles.size() + index;
    options.code_width = tried_width;
    codes_[layer][index] = quantize_matrix(weights, moments, options, parallel_);
    const FloatMatrix some = some_rows(weights, rows_measured);
    std::vector<MeasuredError> measured;
    for (const std::uint32_t width : layer_widths) {
      options.code_width = width;
      const FloatMatrix quantized = width == tried_width
                                        ? some_rows(dequantize(codes_[layer][index]), rows_measured)
                                        : dequantize(quantize_matrix(some, moments, options, parallel_));
      measured.push_back(
          {width, std::max(relative_error(some, quantized, moments, parallel_), smallest_error)});
    }
    errors_[layer][index] = fill_widths(measured);
  }

  /// Divergence of the predictions from the reference's, with `stream` behind all layers.
  double divergence(FloatMatrix stream, const FloatMatrix& reference_classifier,
                    const FloatMatrix& classifier) {
    CalibrationRun run = start_run(tried_);
    run.reference = behind_all_;
    run.quantised = std::move(stream);
    return held_out_quality(run, tried_, final_norm_, reference_classifier, classifier).divergence;
  }

  [[nodiscard]] FloatMatrix classifier() const {
    return config_.tied_classifier ? table_ : read_tensor(checkpoint_, TensorRole::classifier, 0);
  }

  /// One kind of matrix quantised in one group of layers.
  void try_matrices(std::uint32_t group, std::size_t index, RateTable& table) {
    CalibrationRun run = start_run(tried_);
    FloatMatrix stream = before_group_[group];
    const std::uint32_t end = group_begin(group + 1);
    double errors = 0.0;
    for (std::uint32_t layer = group_begin(group); layer < config_.n_layers; ++layer) {
      FloatLayer floats = read_layer(checkpoint_, layer);
      if (layer < end) {
        floats.matrix(layer_matrix_roles[index]) = dequantize(codes_[layer][index]);
        errors += errors_[layer][index][tried_width];
      }
      pass_layer(floats, run, stream);
      step();
    }
    const FloatMatrix output = classifier();
    const double effect = divergence(std::move(stream), output, output) / errors;
    for (std::uint32_t layer = group_begin(group); layer < end; ++layer) {
      for (std::uint32_t width = 1; width <= max_code_width; ++width) {
        table.matrices[layer][index][width] = effect * errors_[layer][index][width];
      }
    }
  }

  /// The embedding quantised as input, as classifier, or as both where it is both.
  ByWidth try_vocabulary(bool as_input, bool as_output) {
    const FloatMatrix output = classifier();
    const FloatMatrix& weights = as_input ? table_ : output;
    const DoubleMatrix moments = vocabulary_moments(as_input, as_output);
    std::vector<MeasuredError> measured;
    for (const std::uint32_t width : vocabulary_widths) {
      MatrixOptions options = quick_;
      options.code_width = width;
      options.damping = as_input ? 0.0 : options.damping;
      const FloatMatrix quantized = dequantize(quantize_matrix(weights, moments, options, parallel_));
      FloatMatrix stream = as_input ? embed(quantized, tried_) : behind_all_;
      CalibrationRun run = start_run(tried_);
      for (std::uint32_t layer = 0; as_input && layer < config_.n_layers; ++layer) {
        pass_layer(read_layer(checkpoint_, layer), run, stream);
        step();
      }
      const double found = divergence(std::move(stream), output, as_output ? quantized : output);
      measured.push_back({width, std::max(found, smallest_error)});
    }
    return fill_widths(measured);
  }

  DoubleMatrix vocabulary_moments(bool as_input, bool as_output) {
    return as_output ? output_moments(last_inputs_, final_norm_, config_.norm_epsilon, as_input, parallel_)
                     : identity_moments(config_.dim);
  }

  const Checkpoint& checkpoint_;
  const QuantizeObserver& observer_;
  Parallel parallel_;
  ModelConfig config_;
  DecoderShape shape_;
  std::vector<float> final_norm_;
  FloatMatrix table_;
  std::vector<std::array<CodeWeights, layer_matrix_roles.size()>> codes_;  // at tried_width
  std::vector<std::array<ByWidth, layer_matrix_roles.size()>> errors_;
  MatrixOptions quick_;
  CalibrationTokens fitted_;
  CalibrationTokens tried_;
  std::vector<FloatMatrix> before_group_;  // streams of the tried windows
  FloatMatrix behind_all_;
  FloatMatrix last_inputs_;  // the fitted windows' streams behind all layers
  std::uint64_t steps_ = 0;
  std::uint64_t steps_done_ = 0;
};

}  // namespace

RateTable measure_rates(const Checkpoint& checkpoint, const CalibrationTokens& calibration,
                        const QuantizeObserver& observer, std::uint64_t seed, const Parallel& parallel) {
  return RateMeter(checkpoint, calibration, observer, seed, parallel).run();
}

}  // namespace pspllm::host
