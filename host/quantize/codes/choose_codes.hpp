// Which codeword stands for which group.
#pragma once

#include "host/quantize/codes/coding_problem.hpp"

namespace pspllm::host {

/// Codes from left to right, each group aimed past the errors before it (GPTVQ). Codebook and row scales are
/// given.
void choose_codes(const CodingProblem& problem, CodeWeights& codes);

/// One sweep of coordinate descent: each code in turn becomes the best one, all others given.
void revise_codes(const CodingProblem& problem, CodeWeights& codes);

}  // namespace pspllm::host
