// Factors of moment matrices, in double precision.
#pragma once

#include "host/quantize/dense/matrix.hpp"

namespace pspllm::host {

/// Mean of a square matrix's diagonal; 0 for an empty one.
[[nodiscard]] double mean_diagonal(const DoubleMatrix& matrix) noexcept;

/// The upper triangle V with V V^T = H + damping * mean(diag H) I: the order of Cholesky factors in which
/// column j of (W - Q) V holds no later column's error, so that columns can be quantised from left to right.
/// A moment matrix without any energy gives the identity. H: symmetric, positive semi-definite.
[[nodiscard]] FloatMatrix upper_factor(const DoubleMatrix& moments, double damping);

/// X with X (H + ridge * mean(diag H) I) = B. B: [n, cols of H]. Zeros where H has no energy.
[[nodiscard]] FloatMatrix solve_right(const DoubleMatrix& moments, double ridge, const FloatMatrix& right);

}  // namespace pspllm::host
