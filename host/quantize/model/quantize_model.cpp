#include "host/quantize/model/quantize_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/quantize/calibration/pass_layer.hpp"
#include "host/quantize/model/held_out_quality.hpp"
#include "host/quantize/model/vocabulary_moments.hpp"
#include "host/quantize/model/work_folder.hpp"

namespace pspllm::host {
namespace {

/// Windows from which the moments of the last layer's outputs are taken before the embedding is quantised.
constexpr std::size_t output_moment_windows = 16;

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
    total_ += first_pass_stages();
  }

  QuantizedModel run() {
    const FloatMatrix table = read_tensor(checkpoint_, TensorRole::token_embedding, 0);
    if (calibration_.windows() == 0) {
      quantize_blindly(table);
      return std::move(result_);
    }
    const WorkFolder work(options_.work_folder, fingerprint(table));
    take_embedding(table, work);
    CalibrationRun run = start_run(calibration_.fitted_windows, calibration_.held_out_windows);
    run.reference = embed(table, calibration_, calibration_.windows());
    run.quantised = embed(dequantize(result_.embedding), calibration_, calibration_.windows());
    run.mixes = FloatMatrix(run.reference.rows, run.reference.cols);
    for (std::uint32_t layer = resume(work, run); layer < checkpoint_.config.n_layers; ++layer) {
      quantize_layer_at(layer, work, run);
    }
    finish(table, run);
    return std::move(result_);
  }

 private:
  /// pass_layer() reports each token twice.
  static constexpr std::uint64_t stages_per_pass = 2;

  /// Seeds of a layer's matrices begin here; those before the first layer's are the embedding's and the
  /// classifier's.
  [[nodiscard]] std::uint64_t layer_seed(std::uint32_t layer) const {
    return options_.seed + (std::uint64_t{layer} + 1) * layer_matrix_roles.size();
  }

  /// The pass of the reference model that comes before the embedding is quantised.
  [[nodiscard]] std::uint64_t first_pass_stages() const {
    if (!checkpoint_.config.tied_classifier) return 0;
    return checkpoint_.config.n_layers * stages_per_pass * first_windows() * calibration_.window;
  }

  [[nodiscard]] std::uint64_t fingerprint(const FloatMatrix& table) const {
    const ModelConfig& config = checkpoint_.config;
    const MatrixOptions& matrix = options_.matrix;
    const std::string text =
        fmt::format("{} {} {} {} {} {} {} {} {} | {} {} {} {} {} {} | {} {} | {}", config.dim,
                    config.hidden_dim, config.n_layers, config.n_heads, config.n_kv_heads, config.vocab_size,
                    config.tied_classifier, config.rope_base, config.norm_epsilon, matrix.damping,
                    matrix.kmeans_rounds, matrix.kmeans_samples, matrix.sweeps, options_.ridge, options_.seed,
                    calibration_.window, calibration_.fitted_windows, recipe_text(options_.recipe));
    const auto bytes_of = [](const auto& values) { return std::as_bytes(std::span(values)); };
    std::uint64_t result = add_to_fingerprint(0, bytes_of(text));
    result = add_to_fingerprint(result, bytes_of(calibration_.ids));
    result = add_to_fingerprint(result, bytes_of(checkpoint_.rope_frequencies));
    return add_to_fingerprint(result, bytes_of(table.values));
  }

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

  /// What a tied embedding meets: the reference's last hidden states, and look-ups.
  DoubleMatrix embedding_moments(const FloatMatrix& table) {
    if (!checkpoint_.config.tied_classifier) return identity_moments(checkpoint_.config.dim);
    CalibrationRun run = start_run(first_windows(), 0);
    run.reference = embed(table, calibration_, first_windows());
    for (std::uint32_t layer = 0; layer < checkpoint_.config.n_layers; ++layer) {
      pass_layer(read_layer(checkpoint_, layer), run, run.reference);
    }
    return output_moments(run.reference, final_norm_, shape_.config.norm_epsilon, true, parallel_);
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

  void take_embedding(const FloatMatrix& table, const WorkFolder& work) {
    if (const auto finished = work.load_embedding()) {
      result_.embedding = finished->codes;
      result_.embedding_fit = finished->fit;
      total_ -= first_pass_stages();
      return;
    }
    quantize_embedding(table);
    work.save_embedding({result_.embedding, result_.embedding_fit});
  }

  /// Takes over finished layers and the streams behind them, or nothing; gives the next layer.
  std::uint32_t resume(const WorkFolder& work, CalibrationRun& run) {
    const std::uint32_t finished = std::min(work.finished_layers(), checkpoint_.config.n_layers);
    for (std::uint32_t layer = 0; layer < finished; ++layer) {
      auto quantized = work.load_layer(layer, fingerprint_of(read_layer(checkpoint_, layer)));
      if (!quantized || (layer + 1 == finished && !work.load_streams(layer, run))) {
        result_.layers.clear();
        return 0;
      }
      result_.layers.push_back(std::move(*quantized));
    }
    total_ -= finished * stages_per_layer * run.tokens();
    if (finished > 0) observer_.resumed(finished);
    return finished;
  }

  void quantize_layer_at(std::uint32_t layer, const WorkFolder& work, CalibrationRun& run) {
    const LayerOptions options{.code_widths = options_.recipe.layers[layer],
                               .matrix = options_.matrix,
                               .ridge = options_.ridge,
                               .seed = layer_seed(layer)};
    const FloatLayer reference = read_layer(checkpoint_, layer);
    result_.layers.push_back(quantize_layer(reference, options, run));
    work.save_layer(layer, fingerprint_of(reference), result_.layers.back(), run);
    observer_.finished_layer(layer, result_.layers.back());
  }

  /// One matrix of which nothing is known but its weights.
  CodeWeights quantize_alone(const FloatMatrix& weights, std::uint32_t code_width, std::uint64_t seed,
                             MatrixFit& fit) {
    MatrixOptions options = options_.matrix;
    options.code_width = code_width;
    options.seed = seed;
    const DoubleMatrix alike = identity_moments(weights.cols);
    CodeWeights codes = quantize_matrix(weights, alike, options, parallel_);
    fit.error = relative_error(weights, dequantize(codes), alike, parallel_);
    return codes;
  }

  void quantize_blindly(const FloatMatrix& table) {
    const Recipe& recipe = options_.recipe;
    result_.embedding = quantize_alone(table, recipe.embedding, options_.seed, result_.embedding_fit);
    for (std::uint32_t layer = 0; layer < checkpoint_.config.n_layers; ++layer) {
      const FloatLayer reference = read_layer(checkpoint_, layer);
      QuantizedLayer& quantized = result_.layers.emplace_back();
      for (std::size_t i = 0; i < layer_matrix_roles.size(); ++i) {
        quantized.matrices[i] =
            quantize_alone(reference.matrix(layer_matrix_roles[i]), recipe.layers[layer][i],
                           layer_seed(layer) + i, quantized.fits[i]);
      }
      observer_.progress(layer + 1, checkpoint_.config.n_layers);
      observer_.finished_layer(layer, quantized);
    }
    if (checkpoint_.config.tied_classifier) return;
    result_.classifier = quantize_alone(read_tensor(checkpoint_, TensorRole::classifier, 0),
                                        recipe.classifier, options_.seed + 1, result_.classifier_fit);
  }

  void finish(const FloatMatrix& table, CalibrationRun& run) {
    const FloatMatrix reference = checkpoint_.config.tied_classifier
                                      ? FloatMatrix()
                                      : read_tensor(checkpoint_, TensorRole::classifier, 0);
    if (!checkpoint_.config.tied_classifier) {
      MatrixOptions options = options_.matrix;
      options.code_width = options_.recipe.classifier;
      options.seed = options_.seed + 1;
      const DoubleMatrix moments =
          output_moments(run.quantised, final_norm_, shape_.config.norm_epsilon, false, parallel_);
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
