#include "engine/ops/host/packed_q80.hpp"

#include <algorithm>
#include <cstring>

#include "engine/core/checked.hpp"
#include "engine/core/limits.hpp"

namespace pspllm::host {
namespace {

std::size_t scale_bytes(const Matrix& matrix) noexcept {
  return std::size_t{matrix.rows} * matrix.groups_per_row() * sizeof(float);
}

/// Packs `width` rows. values: [width, cols]; scales: [width, groups].
void pack_stripe(const PackedFormat& format, const Matrix& matrix, std::uint32_t width,
                 const std::byte* values, const std::byte* scales, std::byte* out) noexcept {
  const std::size_t step = format.columns_per_step;
  const std::size_t row_scale_bytes = std::size_t{matrix.groups_per_row()} * sizeof(float);
  for (std::size_t group = 0; group < matrix.groups_per_row(); ++group) {
    const std::byte* const group_values = values + group * matrix.group_size;
    for (std::size_t col = 0; col < matrix.group_size; col += step) {
      for (std::uint32_t row = 0; row < width; ++row, out += step) {
        std::memcpy(out, group_values + std::size_t{row} * matrix.cols + col, step);
      }
    }
    for (std::uint32_t row = 0; row < width; ++row, out += sizeof(float)) {
      std::memcpy(out, scales + row * row_scale_bytes + group * sizeof(float), sizeof(float));
    }
  }
}

}  // namespace

std::size_t pack_q80_scratch_bytes(const PackedFormat& format, const Matrix& matrix) noexcept {
  return static_cast<std::size_t>(align_up(scale_bytes(matrix), block_alignment) +
                                  align_up(std::size_t{format.lanes} * matrix.cols, block_alignment));
}

void pack_q80(const PackedFormat& format, const Matrix& matrix, std::byte* scratch) noexcept {
  std::byte* const scales = scratch;
  std::byte* const stripe_values = scratch + align_up(scale_bytes(matrix), block_alignment);
  std::memcpy(scales, matrix.data + scales_offset(matrix.rows, matrix.cols), scale_bytes(matrix));

  // Backwards: a packed stripe ends behind the end of its rows, so only rows that have been moved already
  // are overwritten.
  const std::uint32_t n_stripes = (matrix.rows + format.lanes - 1) / format.lanes;
  for (std::uint32_t stripe = n_stripes; stripe-- > 0;) {
    const std::uint32_t first_row = stripe * format.lanes;
    const std::uint32_t width = std::min(format.lanes, matrix.rows - first_row);
    const std::byte* const from = matrix.data + std::size_t{first_row} * matrix.cols;
    const std::size_t count = std::size_t{width} * matrix.cols;
    std::transform(from, from + count, stripe_values,
                   [flip = std::byte{format.value_flip}](std::byte value) { return value ^ flip; });
    pack_stripe(format, matrix, width, stripe_values,
                scales + std::size_t{first_row} * matrix.groups_per_row() * sizeof(float),
                matrix.data + stripe * stripe_bytes(matrix, format.lanes));
  }
}

void dequantize_packed_row(const PackedFormat& format, const Matrix& matrix, std::uint32_t row,
                           float* out) noexcept {
  const std::uint32_t stripe = row / format.lanes;
  const std::uint32_t lane = row % format.lanes;
  const std::uint32_t width = std::min(format.lanes, matrix.rows - stripe * format.lanes);
  const std::size_t step = format.columns_per_step;
  const std::byte* group_values = matrix.data + stripe * stripe_bytes(matrix, format.lanes);
  for (std::uint32_t group = 0; group < matrix.groups_per_row(); ++group) {
    const std::byte* const scales = group_values + std::size_t{width} * matrix.group_size;
    float scale = 0.0F;
    std::memcpy(&scale, scales + std::size_t{lane} * sizeof(float), sizeof(float));
    for (std::size_t col = 0; col < matrix.group_size; ++col) {
      const std::byte value =
          group_values[(col / step * width + lane) * step + col % step] ^ std::byte{format.value_flip};
      *out++ = static_cast<float>(static_cast<std::int8_t>(value)) * scale;
    }
    group_values = scales + std::size_t{width} * sizeof(float);
  }
}

}  // namespace pspllm::host
