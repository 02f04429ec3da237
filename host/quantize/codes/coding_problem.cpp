#include "host/quantize/codes/coding_problem.hpp"

namespace pspllm::host {

FloatMatrix scaled_rows(const CodingProblem& problem, const CodeWeights& codes, std::uint32_t first,
                        std::uint32_t n) {
  FloatMatrix result(n, problem.cols());
  for (std::uint32_t row = 0; row < n; ++row) {
    const float scale = codes.row_scales[first + row];
    if (scale == 0.0F) continue;
    const float* const from = problem.weights.row(first + row);
    float* const to = result.row(row);
    for (std::uint32_t col = 0; col < problem.cols(); ++col) to[col] = from[col] / scale;
  }
  return result;
}

FloatMatrix codewords_of_rows(const CodeWeights& codes, std::uint32_t first, std::uint32_t n) {
  FloatMatrix result(n, codes.cols);
  const std::uint32_t groups = codes.groups();
  for (std::uint32_t row = 0; row < n; ++row) {
    const std::uint8_t* const row_codes = codes.codes.data() + std::size_t{first + row} * groups;
    float* to = result.row(row);
    for (std::uint32_t group = 0; group < groups; ++group) {
      const std::int8_t* const word =
          codes.codebook.data() + std::size_t{row_codes[group]} * codes.code_width;
      const std::uint32_t width = group_cols(codes, group);
      for (std::uint32_t k = 0; k < width; ++k) *to++ = static_cast<float>(word[k]);
    }
  }
  return result;
}

}  // namespace pspllm::host
