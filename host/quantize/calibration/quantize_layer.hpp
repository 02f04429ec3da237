// One decoder layer, quantised on what the layers before it left: inputs come from the quantised model,
// targets from the reference model (GPTAQ, Li et al. 2025, arXiv:2504.02692); attention output and down also
// make up for the residual stream's error so far.
#pragma once

#include <array>
#include <cstdint>

#include "host/quantize/calibration/calibration_run.hpp"
#include "host/quantize/codes/quantize_matrix.hpp"

namespace pspllm::host {

struct LayerOptions {
  std::array<std::uint32_t, layer_matrix_roles.size()> code_widths{};  ///< in the order of layer_matrix_roles
  MatrixOptions matrix;    ///< code_width and seed are set for each matrix
  double ridge = 0.05;     ///< holds corrected targets near the weights, as a share of the mean second moment
  std::uint64_t seed = 0;  ///< matrix i takes seed + i
};

/// How well one matrix was hit.
struct MatrixFit {
  double error = 0.0;           ///< relative, on the inputs that it was fitted to
  double held_out_error = 0.0;  ///< relative, on inputs that it never met
};

struct QuantizedLayer {
  std::array<CodeWeights, layer_matrix_roles.size()> matrices;  // in the order of layer_matrix_roles
  std::array<MatrixFit, layer_matrix_roles.size()> fits;
  double stream_error = 0.0;  ///< relative error of the residual stream behind the layer
  double held_out_stream_error = 0.0;
};

/// Quantises the layer and moves both streams behind it.
[[nodiscard]] QuantizedLayer quantize_layer(const FloatLayer& reference, const LayerOptions& options,
                                            CalibrationRun& run);

/// Token-stages that quantize_layer() reports to CalibrationRun::advance for each token.
inline constexpr std::uint64_t stages_per_layer = 8;

}  // namespace pspllm::host
