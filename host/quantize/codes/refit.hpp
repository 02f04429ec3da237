// Least squares for what is shared: the codebook, given the codes; the row scales, given both.
#pragma once

#include "host/quantize/codes/codebook.hpp"

namespace pspllm::host {

/// The codebook that fits the given codes better, under the whole moment matrix. In the units of the present
/// one.
[[nodiscard]] FloatCodebook refit_codebook(const CodingProblem& problem, const CodeWeights& codes);

/// The best scale of every row. A row without energy keeps its scale.
void refit_row_scales(const CodingProblem& problem, CodeWeights& codes);

}  // namespace pspllm::host
