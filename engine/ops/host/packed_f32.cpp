#include "engine/ops/host/packed_f32.hpp"

#include <algorithm>
#include <cstring>

#include "engine/core/checked.hpp"
#include "engine/core/limits.hpp"

namespace pspllm::host {

std::size_t pack_f32_scratch_bytes(std::uint32_t lanes, const Matrix& matrix) noexcept {
  return static_cast<std::size_t>(
      align_up(std::size_t{lanes} * matrix.cols * sizeof(float), block_alignment));
}

void pack_f32(std::uint32_t lanes, const Matrix& matrix, std::byte* scratch) noexcept {
  const auto* const values = reinterpret_cast<const float*>(scratch);
  auto* out = reinterpret_cast<float*>(matrix.data);
  for (std::uint32_t first_row = 0; first_row < matrix.rows; first_row += lanes) {
    const std::uint32_t width = std::min(lanes, matrix.rows - first_row);
    std::memcpy(scratch, out, std::size_t{width} * matrix.cols * sizeof(float));
    for (std::size_t col = 0; col < matrix.cols; ++col) {
      for (std::size_t row = 0; row < width; ++row) *out++ = values[row * matrix.cols + col];
    }
  }
}

void copy_packed_f32_row(std::uint32_t lanes, const Matrix& matrix, std::uint32_t row, float* out) noexcept {
  const std::uint32_t first_row = row / lanes * lanes;
  const std::uint32_t width = std::min(lanes, matrix.rows - first_row);
  const float* from =
      reinterpret_cast<const float*>(matrix.data) + std::size_t{first_row} * matrix.cols + (row - first_row);
  for (std::uint32_t col = 0; col < matrix.cols; ++col, from += width) out[col] = *from;
}

}  // namespace pspllm::host
