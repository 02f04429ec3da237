// Matrices of floats in memory, and views of parts of them: what the quantiser computes with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pspllm::host {

/// A part of a matrix, or its transpose: element (row, col) is data[row * row_stride + col * col_stride].
struct MatrixView {
  const float* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t row_stride = 0;
  std::size_t col_stride = 1;

  [[nodiscard]] MatrixView transposed() const noexcept { return {data, cols, rows, col_stride, row_stride}; }
  [[nodiscard]] MatrixView block(std::size_t row, std::size_t col, std::size_t n_rows,
                                 std::size_t n_cols) const noexcept {
    return {data + row * row_stride + col * col_stride, n_rows, n_cols, row_stride, col_stride};
  }
};

/// A part of a matrix that may be written; its columns are contiguous.
struct MutableView {
  float* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t row_stride = 0;

  [[nodiscard]] MutableView block(std::size_t row, std::size_t col, std::size_t n_rows,
                                  std::size_t n_cols) const noexcept {
    return {data + row * row_stride + col, n_rows, n_cols, row_stride};
  }
  [[nodiscard]] MatrixView view() const noexcept { return {data, rows, cols, row_stride, 1}; }
};

/// Row-major, without gaps.
struct FloatMatrix {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<float> values;  // [rows, cols]

  FloatMatrix() = default;
  /// All zeros.
  FloatMatrix(std::size_t n_rows, std::size_t n_cols) : rows(n_rows), cols(n_cols), values(n_rows * n_cols) {}

  [[nodiscard]] float* row(std::size_t index) noexcept { return values.data() + index * cols; }
  [[nodiscard]] const float* row(std::size_t index) const noexcept { return values.data() + index * cols; }
  [[nodiscard]] float& at(std::size_t row_index, std::size_t col) noexcept {
    return values[row_index * cols + col];
  }
  [[nodiscard]] float at(std::size_t row_index, std::size_t col) const noexcept {
    return values[row_index * cols + col];
  }
  [[nodiscard]] MatrixView view() const noexcept { return {values.data(), rows, cols, cols, 1}; }
  [[nodiscard]] MutableView mutable_view() noexcept { return {values.data(), rows, cols, cols}; }
};

/// Row-major doubles: sums over many tokens, factors.
struct DoubleMatrix {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<double> values;  // [rows, cols]

  DoubleMatrix() = default;
  /// All zeros.
  DoubleMatrix(std::size_t n_rows, std::size_t n_cols)
      : rows(n_rows), cols(n_cols), values(n_rows * n_cols) {}

  [[nodiscard]] double& at(std::size_t row, std::size_t col) noexcept { return values[row * cols + col]; }
  [[nodiscard]] double at(std::size_t row, std::size_t col) const noexcept {
    return values[row * cols + col];
  }
};

}  // namespace pspllm::host
