// The finished model beside the reference on windows that neither codes nor scales were fitted to.
#pragma once

#include <span>

#include "host/quantize/calibration/calibration_run.hpp"
#include "host/quantize/model/quantize_model.hpp"

namespace pspllm::host {

/// Both streams of `run` have passed all layers. reference, quantized: classifiers [vocab_size, dim].
[[nodiscard]] HeldOutQuality held_out_quality(CalibrationRun& run, const CalibrationTokens& calibration,
                                              std::span<const float> final_norm, const FloatMatrix& reference,
                                              const FloatMatrix& quantized);

}  // namespace pspllm::host
