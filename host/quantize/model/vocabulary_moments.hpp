// What rows of an embedding and of a classifier meet.
#pragma once

#include <span>

#include "host/quantize/calibration/moment_sum.hpp"

namespace pspllm::host {

/// All columns count alike: for an embedding that is looked up and no more.
[[nodiscard]] DoubleMatrix identity_moments(std::size_t dim);

/// Moments of the normalised last hidden states, of mean 1: for a classifier. Where it is looked up as well
/// (as_input) the identity is added: a tied embedding serves both (measured: equal shares are good with pairs
/// of weights). stream: [tokens, dim], behind all layers.
[[nodiscard]] DoubleMatrix output_moments(const FloatMatrix& stream, std::span<const float> final_norm,
                                          float norm_epsilon, bool as_input, const Parallel& parallel);

}  // namespace pspllm::host
