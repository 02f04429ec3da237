// Second moments of the inputs of a layer's matrices, as the reference model has them.
#pragma once

#include "host/quantize/calibration/calibration_run.hpp"

namespace pspllm::host {

struct LayerInputs {
  DoubleMatrix attention_normed;  // of query, key, value
  DoubleMatrix mixes;             // of attention output
  DoubleMatrix ffn_normed;        // of gate, up
  DoubleMatrix active;            // of down

  /// role: one of layer_matrix_roles.
  [[nodiscard]] const DoubleMatrix& of(TensorRole role) const noexcept;
};

/// Moves run.reference behind the layer and gathers the moments on the way, over the fitted windows. Tokens
/// weigh as token_weights() says.
[[nodiscard]] LayerInputs pass_layer_measuring(const FloatLayer& layer, CalibrationRun& run);

}  // namespace pspllm::host
