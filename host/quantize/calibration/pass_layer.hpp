// Residual streams on their way through a layer.
#pragma once

#include "host/quantize/calibration/calibration_run.hpp"

namespace pspllm::host {

/// Adds what attention adds to a stream [tokens, dim]. Tells run.advance of every token once.
void pass_attention(const FloatLayer& layer, const CalibrationRun& run, FloatMatrix& stream);
/// Adds what the feed-forward part adds. Tells run.advance of every token once.
void pass_feed_forward(const FloatLayer& layer, const CalibrationRun& run, FloatMatrix& stream);
/// Both.
void pass_layer(const FloatLayer& layer, const CalibrationRun& run, FloatMatrix& stream);

}  // namespace pspllm::host
