// The 256 words that a matrix's groups are spelled with.
#pragma once

#include <span>
#include <vector>

#include "host/quantize/codes/coding_problem.hpp"
#include "host/quantize/codes/quantize_matrix.hpp"

namespace pspllm::host {

/// A codebook in floats, [256, code_width], in units of the scaled rows.
using FloatCodebook = std::vector<float>;

/// k-means over groups of the scaled rows. The weight of an element is its row's scale squared times its
/// input's second moment.
[[nodiscard]] FloatCodebook fit_codebook(const CodingProblem& problem, const CodeWeights& codes,
                                         const MatrixOptions& options);

/// Rounds a codebook to the integers of the format, its largest entry to max_codeword(); row scales take up
/// the unit, so that codeword times scale stays what it was. All zeros stay zeros.
void round_codebook(const FloatCodebook& codebook, CodeWeights& codes);

}  // namespace pspllm::host
