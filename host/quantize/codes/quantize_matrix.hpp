// One matrix to byte codes, with the least error on the inputs that it will meet. The error of weights Q for
// W is tr((W - Q) H (W - Q)^T), H = E[x x^T] of its inputs: the mean square error of its outputs.
// 1. Rows are scaled to unit root mean square; a codebook is fitted by k-means whose weights are the inputs'
//    second moments, and rounded to the integers of the format.
// 2. Codes are chosen column group by column group; each group is aimed past the errors of those before it
//    (GPTVQ, van Baalen et al. 2024, arXiv:2402.15319; the same as Babai's nearest plane in the lattice of a
//    Cholesky factor of H).
// 3. Codes are revised one by one under the whole H, codebook and row scales are refitted by least squares.
#pragma once

#include <cstdint>

#include "engine/ops/parallel.hpp"
#include "host/quantize/codes/code_weights.hpp"

namespace pspllm::host {

struct MatrixOptions {
  std::uint32_t code_width = 6;  ///< 1 … 8
  double damping = 0.01;         ///< added to H's diagonal, as a share of its mean
  std::uint32_t kmeans_rounds = 12;
  std::uint32_t kmeans_samples = 65536;  ///< vectors that the codebook is fitted to
  std::uint32_t sweeps = 2;              ///< of step 3; 0 leaves the codes of step 2
  std::uint64_t seed = 0;
};

/// weights: finite. moments: [cols, cols]; without energy all inputs count alike. The result depends on
/// neither the number of threads nor the processor.
[[nodiscard]] CodeWeights quantize_matrix(const FloatMatrix& weights, const DoubleMatrix& moments,
                                          const MatrixOptions& options, const Parallel& parallel);

/// tr((W - Q) H (W - Q)^T) / tr(W H W^T); 0 where W has no energy on these inputs.
[[nodiscard]] double relative_error(const FloatMatrix& weights, const FloatMatrix& quantized,
                                    const DoubleMatrix& moments, const Parallel& parallel);

}  // namespace pspllm::host
