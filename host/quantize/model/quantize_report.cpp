#include "host/quantize/model/quantize_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/core/units.hpp"

namespace pspllm::host {
namespace {

TensorReport report_of(TensorRole role, std::uint32_t layer, const CodeWeights& codes, const MatrixFit& fit) {
  TensorReport report{role,
                      layer,
                      codes.rows,
                      codes.cols,
                      codes.code_width,
                      codes.layout().bytes(),
                      fit.error,
                      fit.held_out_error,
                      0.0F,
                      0.0F};
  if (!codes.row_scales.empty()) {
    const auto [smallest, largest] = std::minmax_element(codes.row_scales.begin(), codes.row_scales.end());
    report.smallest_scale = *smallest;
    report.largest_scale = *largest;
  }
  return report;
}

std::string tensor_line(const TensorReport& tensor) {
  const bool of_layer = tensor.role != TensorRole::token_embedding && tensor.role != TensorRole::classifier;
  return fmt::format("{:>5}  {:<16} {:>13}  {:>5.2f}  {:>11}  {:>7.4f}  {:>8.4f}  {:.3g} - {:.3g}\n",
                     of_layer ? std::to_string(tensor.layer) : "", name_of(tensor.role),
                     fmt::format("{} x {}", tensor.rows, tensor.cols), 8.0 / tensor.code_width,
                     grouped(tensor.bytes), tensor.error, tensor.held_out_error, tensor.smallest_scale,
                     tensor.largest_scale);
}

nlohmann::json tensor_json(const TensorReport& tensor) {
  return {{"role", name_of(tensor.role)},
          {"layer", tensor.layer},
          {"rows", tensor.rows},
          {"cols", tensor.cols},
          {"code_width", tensor.code_width},
          {"bytes", tensor.bytes},
          {"error", tensor.error},
          {"held_out_error", tensor.held_out_error},
          {"smallest_scale", tensor.smallest_scale},
          {"largest_scale", tensor.largest_scale}};
}

}  // namespace

ModelReport make_report(const Checkpoint& checkpoint, const CalibrationTokens& calibration,
                        const QuantizedModel& model, const Recipe& recipe) {
  ModelReport report;
  report.parameters = checkpoint.config.parameter_count();
  report.bits_per_weight = bits_per_weight(recipe, checkpoint.config);
  report.fitted_tokens = calibration.fitted_windows * calibration.window;
  report.recipe = recipe;
  report.quality = model.quality;
  report.tensors.push_back(report_of(TensorRole::token_embedding, 0, model.embedding, model.embedding_fit));
  for (std::uint32_t layer = 0; layer < model.layers.size(); ++layer) {
    const QuantizedLayer& quantized = model.layers[layer];
    for (std::size_t i = 0; i < layer_matrix_roles.size(); ++i) {
      report.tensors.push_back(
          report_of(layer_matrix_roles[i], layer, quantized.matrices[i], quantized.fits[i]));
    }
    if (calibration.windows() > 0) {
      report.layers.push_back({quantized.stream_error, quantized.held_out_stream_error});
    }
  }
  if (model.classifier) {
    report.tensors.push_back(report_of(TensorRole::classifier, 0, *model.classifier, model.classifier_fit));
  }
  return report;
}

std::string report_text(const ModelReport& report, bool every_tensor) {
  std::string text;
  if (every_tensor) {
    text += fmt::format("{:>5}  {:<16} {:>13}  {:>5}  {:>11}  {:>7}  {:>8}  {}\n", "layer", "matrix", "shape",
                        "bits", "bytes", "error", "held out", "row scales");
    for (const TensorReport& tensor : report.tensors) text += tensor_line(tensor);
  }
  text += fmt::format("{} -> {}: {} bytes, {:.3f} bits a weight", report.in, report.out,
                      grouped(report.file_bytes), report.bits_per_weight);
  if (!report.layers.empty()) {
    text += fmt::format(", error of the last layer's outputs {:.3f}, held out {:.3f}",
                        report.layers.back().stream_error, report.layers.back().held_out_stream_error);
  }
  text += fmt::format("; {}\n", duration(report.seconds));
  if (report.quality.tokens > 0) {
    text += fmt::format(
        "on {} held-out tokens: loss {:.3f} -> {:.3f} nats a token (perplexity {:.2f} -> {:.2f}), KL "
        "divergence {:.3f}, same first choice {:.1f} %\n",
        grouped(report.quality.tokens), report.quality.reference_loss, report.quality.quantized_loss,
        std::exp(report.quality.reference_loss), std::exp(report.quality.quantized_loss),
        report.quality.divergence, 100.0 * report.quality.top_agreement);
  }
  return text;
}

nlohmann::json report_json(const ModelReport& report) {
  nlohmann::json json = {{"in", report.in},
                         {"out", report.out},
                         {"file_bytes", report.file_bytes},
                         {"parameters", report.parameters},
                         {"bits_per_weight", report.bits_per_weight},
                         {"fitted_tokens", report.fitted_tokens},
                         {"seconds", report.seconds},
                         {"recipe", nlohmann::json::parse(recipe_text(report.recipe))}};
  if (report.quality.tokens > 0) {
    json["held_out"] = {{"tokens", report.quality.tokens},
                        {"reference_loss", report.quality.reference_loss},
                        {"quantized_loss", report.quality.quantized_loss},
                        {"divergence", report.quality.divergence},
                        {"top_agreement", report.quality.top_agreement}};
  }
  for (const TensorReport& tensor : report.tensors) json["tensors"].push_back(tensor_json(tensor));
  for (const LayerReport& layer : report.layers) {
    json["layers"].push_back(
        {{"stream_error", layer.stream_error}, {"held_out_stream_error", layer.held_out_stream_error}});
  }
  return json;
}

}  // namespace pspllm::host
