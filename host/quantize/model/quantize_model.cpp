#include "host/quantize/model/quantize_model.hpp"

#include <algorithm>
#include <utility>

#include "host/quantize/dense/factor.hpp"
#include "host/quantize/model/held_out_quality.hpp"

namespace pspllm::host {
namespace {

/// Windows from which the moments of the last layer's outputs are taken before the embedding is quantised.
constexpr std::size_t output_moment_windows = 16;

/// An embedding serves two masters where it is also the classifier: rows as inputs, where all columns count
/// alike, and rows against the last hidden state, where H counts. H is brought to a mean of 1; this is what
/// the inputs' part weighs beside it (measured: 1 is good with pairs of weights).
constexpr double input_share = 1.0;

FloatMatrix embed(const FloatMatrix& table, const CalibrationTokens& calibration, std::size_t n_windows) {
  const std::size_t n = n_windows * calibration.window;
  FloatMatrix stream(n, table.cols);
  for (std::size_t t = 0; t < n; ++t) {
    std::copy_n(table.row(static_cast<std::size_t>(calibration.ids[t])), table.cols, stream.row(t));
  }
  return stream;
}

class ModelQuantizer {
 public:
  ModelQuantizer(const Checkpoint& checkpoint, const CalibrationTokens& calibration,
                 const QuantizeModelOptions& options, const QuantizeObserver& observer,
                 const Parallel& parallel)
      : checkpoint_(checkpoint),
        calibration_(calibration),
        options_(options),
        observer_(observer),
        shape_(make_decoder_shape(checkpoint.config, checkpoint.rope_frequencies, calibration.window)),
        parallel_(parallel),
        final_norm_(read_tensor(checkpoint, TensorRole::final_norm, 0).values) {
    const std::uint64_t layers = checkpoint.config.n_layers;
    total_ = layers * stages_per_layer * calibration.windows() * calibration.window;
    if (checkpoint.config.tied_classifier)
      total_ += layers * stages_per_pass * first_windows() * calibration.window;
  }

  QuantizedModel run() {
    FloatMatrix table = read_tensor(checkpoint_, TensorRole::token_embedding, 0);
    quantize_embedding(table);
    CalibrationRun run = start_run(calibration_.fitted_windows, calibration_.held_out_windows);
    run.reference = embed(table, calibration_, calibration_.windows());
    run.quantised = embed(dequantize(result_.embedding), calibration_, calibration_.windows());
    run.mixes = FloatMatrix(run.reference.rows, run.reference.cols);
    for (std::uint32_t layer = 0; layer < checkpoint_.config.n_layers; ++layer) quantize_layer_at(layer, run);
    finish(table, run);
    return std::move(result_);
  }

 private:
  /// pass_layer() reports each token twice.
  static constexpr std::uint64_t stages_per_pass = 2;

  [[nodiscard]] std::size_t first_windows() const {
    return std::min(output_moment_windows, calibration_.fitted_windows);
  }

  CalibrationRun start_run(std::size_t fitted_windows, std::size_t held_out_windows) {
    CalibrationRun run{.shape = shape_, .parallel = parallel_, .advance = [this](std::size_t tokens) {
                         done_ += tokens;
                         observer_.progress(done_, total_);
                       }};
    run.window = calibration_.window;
    run.fitted_windows = fitted_windows;
    run.held_out_windows = held_out_windows;
    return run;
  }

  /// Moments of what a tied classifier meets: the reference's last hidden states, and inputs of the first
  /// layer. Without a tied classifier: inputs alone.
  DoubleMatrix embedding_moments(const FloatMatrix& table) {
    const std::size_t dim = checkpoint_.config.dim;
    DoubleMatrix moments(dim, dim);
    if (checkpoint_.config.tied_classifier) {
      CalibrationRun run = start_run(first_windows(), 0);
      run.reference = embed(table, calibration_, first_windows());
      for (std::uint32_t layer = 0; layer < checkpoint_.config.n_layers; ++layer) {
        pass_layer(read_layer(checkpoint_, layer), run, run.reference);
      }
      moments = output_moments(run, run.reference);
      const double mean = mean_diagonal(moments);
      for (double& value : moments.values) value = mean > 0.0 ? value / mean : 0.0;
    }
    for (std::size_t i = 0; i < dim; ++i) moments.at(i, i) += input_share;
    return moments;
  }

  DoubleMatrix output_moments(CalibrationRun& run, FloatMatrix& stream) {
    FloatMatrix hidden(stream.rows, stream.cols);
    normalise_rows(stream.view(), final_norm_, shape_.config.norm_epsilon, hidden.mutable_view());
    MomentSum sum(stream.cols, stream.cols);
    sum.add(hidden.view(), hidden.view(), run.parallel);
    return sum.mean();
  }

  void quantize_embedding(const FloatMatrix& table) {
    MatrixOptions options = options_.matrix;
    options.code_width = options_.recipe.embedding;
    options.seed = options_.seed;
    options.damping = 0.0;  // the inputs' share is more than any damping
    const DoubleMatrix moments = embedding_moments(table);
    result_.embedding = quantize_matrix(table, moments, options, parallel_);
    result_.embedding_fit.error = relative_error(table, dequantize(result_.embedding), moments, parallel_);
  }

  void quantize_layer_at(std::uint32_t layer, CalibrationRun& run) {
    const LayerOptions options{
        .code_widths = options_.recipe.layers[layer],
        .matrix = options_.matrix,
        .ridge = options_.ridge,
        .seed = options_.seed + (std::uint64_t{layer} + 1) * layer_matrix_roles.size()};
    result_.layers.push_back(quantize_layer(read_layer(checkpoint_, layer), options, run));
    observer_.finished_layer(layer, result_.layers.back());
  }

  void finish(const FloatMatrix& table, CalibrationRun& run) {
    const FloatMatrix reference = checkpoint_.config.tied_classifier
                                      ? FloatMatrix()
                                      : read_tensor(checkpoint_, TensorRole::classifier, 0);
    if (!checkpoint_.config.tied_classifier) {
      MatrixOptions options = options_.matrix;
      options.code_width = options_.recipe.classifier;
      options.seed = options_.seed + 1;
      const DoubleMatrix moments = output_moments(run, run.quantised);
      result_.classifier = quantize_matrix(reference, moments, options, parallel_);
      result_.classifier_fit.error =
          relative_error(reference, dequantize(*result_.classifier), moments, parallel_);
    }
    const FloatMatrix quantized = dequantize(result_.classifier ? *result_.classifier : result_.embedding);
    result_.quality = held_out_quality(run, calibration_, final_norm_,
                                       checkpoint_.config.tied_classifier ? table : reference, quantized);
  }

  const Checkpoint& checkpoint_;
  const CalibrationTokens& calibration_;
  const QuantizeModelOptions& options_;
  const QuantizeObserver& observer_;
  DecoderShape shape_;
  Parallel parallel_;
  std::vector<float> final_norm_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
  QuantizedModel result_;
};

}  // namespace

QuantizedModel quantize_model(const Checkpoint& checkpoint, const CalibrationTokens& calibration,
                              const QuantizeModelOptions& options, const QuantizeObserver& observer,
                              const Parallel& parallel) {
  return ModelQuantizer(checkpoint, calibration, options, observer, parallel).run();
}

}  // namespace pspllm::host
