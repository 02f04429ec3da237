#include "engine/ops/reference/matrix_view.hpp"
#include "engine/ops/reference/reference.hpp"

namespace pspllm::reference {

void matmul_f32(const Matrix& matrix, const float* x, std::uint32_t n_tokens, float* out,
                std::uint32_t out_stride, Range rows) noexcept {
  for (std::uint32_t token = 0; token < n_tokens; ++token) {
    for (std::uint32_t row = rows.begin; row < rows.end; ++row) {
      const float* w = f32_row(matrix, row);
      float sum = 0.0F;
      for (std::uint32_t col = 0; col < matrix.cols; ++col) sum += w[col] * x[col];
      out[std::size_t{token} * out_stride + row] = sum;
    }
    x += matrix.cols;
  }
}

}  // namespace pspllm::reference
