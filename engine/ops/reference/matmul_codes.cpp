// Byte codes times activations. The integers of a row are summed exactly, so that a fast twin may take them
// from tables and in any order; only the last line is in floats.
#include "engine/model/code_matrix.hpp"
#include "engine/ops/reference/reference.hpp"

namespace pspllm::reference {
namespace {

/// Sum over all columns of the row's integers times the activations. Fits: see CodeLayout.
std::int32_t dot(const CodeMatrix& matrix, std::uint32_t row, const std::int8_t* x) noexcept {
  std::int32_t sum = 0;
  for (std::uint32_t group = 0; group < matrix.layout.groups(); ++group) {
    const std::int8_t* const word = matrix.word(row, group);
    for (std::uint32_t k = 0; k < matrix.layout.code_width; ++k) {
      sum += static_cast<std::int32_t>(word[k]) * static_cast<std::int32_t>(*x++);
    }
  }
  return sum;
}

}  // namespace

void matmul_codes(std::span<const ProjectedRows> projections, const QuantizedActivations& x) noexcept {
  for (const ProjectedRows& projection : projections) {
    const CodeMatrix matrix = CodeMatrix::of(*projection.matrix);
    for (std::uint32_t token = 0; token < x.n_tokens; ++token) {
      const QuantizedToken quantized = code_token_of(x, token);
      float* const out = projection.out + std::size_t{token} * projection.matrix->rows;
      for (std::uint32_t row = projection.rows.begin; row < projection.rows.end; ++row) {
        out[row] = (static_cast<float>(dot(matrix, row, quantized.values)) * *quantized.scales) *
                   matrix.row_scales[row];
      }
    }
  }
}

void dequantize_code_row(const Matrix& matrix, std::uint32_t row, float* out) noexcept {
  const CodeMatrix view = CodeMatrix::of(matrix);
  const std::uint32_t code_width = view.layout.code_width;
  for (std::uint32_t col = 0; col < matrix.cols; ++col) {
    const std::int8_t value = view.word(row, col / code_width)[col % code_width];
    out[col] = static_cast<float>(value) * view.row_scales[row];
  }
}

}  // namespace pspllm::reference
