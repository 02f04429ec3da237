// What a quantised model looks like from outside: a line a tensor, as a table, as JSON, as a page with
// pictures.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/quantize/model/quantize_model.hpp"

namespace pspllm::host {

struct TensorReport {
  TensorRole role = TensorRole::token_embedding;
  std::uint32_t layer = 0;
  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
  std::uint32_t code_width = 0;  ///< 8 / code_width bits a weight
  std::uint64_t bytes = 0;
  double error = 0.0;           ///< relative error of its outputs, on the inputs that it was fitted to
  double held_out_error = 0.0;  ///< on others; 0 where nothing was held out
  float smallest_scale = 0.0F;
  float largest_scale = 0.0F;
};

struct LayerReport {
  double stream_error = 0.0;  ///< relative error of the residual stream behind the layer
  double held_out_stream_error = 0.0;
};

struct ModelReport {
  std::string in;
  std::string out;
  std::uint64_t file_bytes = 0;
  std::uint64_t parameters = 0;
  double bits_per_weight = 0.0;  ///< all tensors, norms and scales included
  std::uint64_t fitted_tokens = 0;
  double seconds = 0.0;
  Recipe recipe;
  HeldOutQuality quality;  ///< tokens 0: not measured
  std::vector<TensorReport> tensors;
  std::vector<LayerReport> layers;  ///< empty without calibration
};

/// Everything but in, out, file_bytes and seconds.
[[nodiscard]] ModelReport make_report(const Checkpoint& checkpoint, const CalibrationTokens& calibration,
                                      const QuantizedModel& model, const Recipe& recipe);

/// A line for the whole; with `every_tensor` a table in front of it.
[[nodiscard]] std::string report_text(const ModelReport& report, bool every_tensor);
[[nodiscard]] nlohmann::json report_json(const ModelReport& report);
/// A page that needs nothing else: errors by layer and matrix, the stream's error, size by part.
[[nodiscard]] std::string report_html(const ModelReport& report);

}  // namespace pspllm::host
