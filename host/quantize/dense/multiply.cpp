#include "host/quantize/dense/multiply.hpp"

#include <algorithm>
#include <array>

namespace pspllm::host {
namespace {

// A packed block of b (256 x 512 floats) stays in the second-level cache, one of a (192 x 256) too.
constexpr std::size_t depth_block = 256;
constexpr std::size_t col_block = 512;
constexpr std::size_t row_block = 192;

struct Buffers {
  std::vector<float> a;
  std::vector<float> b;
};

constexpr std::size_t round_up(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

/// Panels of `width` columns, each [rows of the view][width], filled up with zeros.
void pack(const MatrixView& view, std::size_t width, std::vector<float>& out) {
  out.resize(round_up(view.cols, width) * view.rows);
  float* to = out.data();
  for (std::size_t col = 0; col < view.cols; col += width) {
    const std::size_t used = std::min(width, view.cols - col);
    const float* const from = view.data + col * view.col_stride;
    for (std::size_t row = 0; row < view.rows; ++row, to += width) {
      const float* const source = from + row * view.row_stride;
      for (std::size_t i = 0; i < used; ++i) to[i] = source[i * view.col_stride];
      std::fill(to + used, to + width, 0.0F);
    }
  }
}

/// A tile that reaches past the edge of c goes through a copy.
void multiply_edge(const DenseKernels& kernels, const float* a, const float* b, std::size_t depth,
                   const MutableView& c) {
  std::array<float, 12 * 32> tile{};
  for (std::size_t row = 0; row < c.rows; ++row) {
    std::copy_n(c.data + row * c.row_stride, c.cols, tile.data() + row * kernels.tile_cols);
  }
  kernels.multiply_tile(a, b, depth, tile.data(), kernels.tile_cols);
  for (std::size_t row = 0; row < c.rows; ++row) {
    std::copy_n(tile.data() + row * kernels.tile_cols, c.cols, c.data + row * c.row_stride);
  }
}

void multiply_packed(const DenseKernels& kernels, const Buffers& packed, std::size_t depth,
                     const MutableView& c) {
  for (std::size_t col = 0; col < c.cols; col += kernels.tile_cols) {
    const float* const b = packed.b.data() + col * depth;
    const std::size_t n_cols = std::min<std::size_t>(kernels.tile_cols, c.cols - col);
    for (std::size_t row = 0; row < c.rows; row += kernels.tile_rows) {
      const float* const a = packed.a.data() + row * depth;
      const std::size_t n_rows = std::min<std::size_t>(kernels.tile_rows, c.rows - row);
      if (n_rows == kernels.tile_rows && n_cols == kernels.tile_cols) {
        kernels.multiply_tile(a, b, depth, c.data + row * c.row_stride + col, c.row_stride);
      } else {
        multiply_edge(kernels, a, b, depth, c.block(row, col, n_rows, n_cols));
      }
    }
  }
}

}  // namespace

void multiply_add(const MatrixView& a, const MatrixView& b, const MutableView& c,
                  const DenseKernels& kernels) {
  thread_local Buffers packed;
  for (std::size_t col = 0; col < c.cols; col += col_block) {
    const std::size_t n_cols = std::min(col_block, c.cols - col);
    for (std::size_t k = 0; k < a.cols; k += depth_block) {
      const std::size_t depth = std::min(depth_block, a.cols - k);
      pack(b.block(k, col, depth, n_cols), kernels.tile_cols, packed.b);
      for (std::size_t row = 0; row < c.rows; row += row_block) {
        const std::size_t n_rows = std::min(row_block, c.rows - row);
        pack(a.block(row, k, n_rows, depth).transposed(), kernels.tile_rows, packed.a);
        multiply_packed(kernels, packed, depth, c.block(row, col, n_rows, n_cols));
      }
    }
  }
}

void multiply(const MatrixView& a, const MatrixView& b, const MutableView& c, const DenseKernels& kernels) {
  for (std::size_t row = 0; row < c.rows; ++row) std::fill_n(c.data + row * c.row_stride, c.cols, 0.0F);
  multiply_add(a, b, c, kernels);
}

}  // namespace pspllm::host
