// How much each tensor of a model matters at each rate, measured on a little text.
#pragma once

#include "host/quantize/model/choose_rates.hpp"
#include "host/quantize/model/quantize_model.hpp"

namespace pspllm::host {

/// Every matrix is quantised at some widths, with few pains, to learn its relative error (others are filled
/// in between); every kind of matrix in every third of the layers is put into the reference model, quantised,
/// to learn what such an error does to the predictions of held-out windows; the embedding is quantised at
/// some widths and put in. calibration: at least one window of either kind. Throws what observer.progress
/// throws, and Failure.
[[nodiscard]] RateTable measure_rates(const Checkpoint& checkpoint, const CalibrationTokens& calibration,
                                      const QuantizeObserver& observer, std::uint64_t seed,
                                      const Parallel& parallel);

}  // namespace pspllm::host
