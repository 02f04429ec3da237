// What the reference does with a matrix besides multiplying: nothing to prepare, rows to floats.
#include <cstring>

#include "engine/ops/reference/matrix_view.hpp"
#include "engine/ops/reference/reference.hpp"

namespace pspllm::reference {

std::size_t prepare_scratch_bytes(const Matrix& /*matrix*/) noexcept {
  return 0;
}

void prepare(const Matrix& /*matrix*/, std::span<std::byte> /*scratch*/) noexcept {}

void dequantize_row(const Matrix& matrix, std::uint32_t row, float* out) noexcept {
  if (matrix.format == TensorFormat::f32) {
    std::memcpy(out, f32_row(matrix, row), matrix.cols * sizeof(float));
    return;
  }
  if (matrix.format == TensorFormat::codes) {
    dequantize_code_row(matrix, row, out);
    return;
  }
  const QuantizedRow quantized = q80_row(matrix, row);
  for (std::uint32_t col = 0; col < matrix.cols; ++col) {
    out[col] = static_cast<float>(quantized.values[col]) * quantized.scales[col / matrix.group_size];
  }
}

}  // namespace pspllm::reference
