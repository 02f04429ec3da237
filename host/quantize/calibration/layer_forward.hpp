// A decoder layer in floats on one window of text, for calibration: many tokens at a time, no cache.
#pragma once

#include <span>
#include <vector>

#include "engine/model/config.hpp"
#include "host/quantize/calibration/float_layer.hpp"

namespace pspllm::host {

/// What all layers share.
struct DecoderShape {
  ModelConfig config;
  FloatMatrix rope;  // [window, head_dim]: cosine and sine of each pair
};

/// rope_frequencies: [head_dim / 2] radians a position.
[[nodiscard]] DecoderShape make_decoder_shape(const ModelConfig& config,
                                              std::span<const float> rope_frequencies, std::size_t window);

/// out[t] = weight * x[t] / root mean square of x[t]. x, out: [tokens, dim]; may be the same.
void normalise_rows(const MatrixView& x, std::span<const float> weight, float epsilon,
                    const MutableView& out);

/// Causal self-attention up to what the output matrix gets. normed: [tokens, dim], at most a window; out:
/// [tokens, dim].
void attend(const DecoderShape& shape, const FloatLayer& layer, const MatrixView& normed,
            const MutableView& out);

/// What the down matrix gets: silu(gate x) * (up x). normed: [tokens, dim]; out: [tokens, hidden_dim].
void activate(const FloatLayer& layer, const MatrixView& normed, const MutableView& out);

/// stream += x matrix^T. x: [tokens, cols]; stream: [tokens, rows].
void add_projection(const MatrixView& x, const FloatMatrix& matrix, const MutableView& stream);

}  // namespace pspllm::host
