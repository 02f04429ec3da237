// The order in which vector kernels stream a q80 matrix: stripes of Rows rows, and within a stripe, group by
// group, four columns of every row at a time, then the group's scales:
//   stripe = groups x { group_size / 4 x [Rows][4] int8, [Rows] fp32 }
// One sequential pointer reads a stripe. Rows that fill no stripe stay row-major behind the last one: values,
// then scales. A stripe takes exactly the bytes of its rows' values and scales, so packing is done in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "engine/core/checked.hpp"
#include "engine/model/tensor.hpp"
#include "engine/ops/unrolled.hpp"

namespace pspllm {

/// Columns of one row that lie together.
inline constexpr std::uint32_t packed_cols = 4;

/// Where the parts of a packed q80 matrix lie, for stripes of `Rows` rows. group_size must be a multiple of
/// packed_cols.
template <std::uint32_t Rows>
struct PackedRows {
  std::uint32_t stripes = 0;
  std::uint32_t tail_rows = 0;
  std::size_t stripe_bytes = 0;
  std::size_t group_bytes = 0;  ///< of one group of one stripe, scales included

  [[nodiscard]] static constexpr PackedRows of(const Matrix& matrix) noexcept {
    PackedRows packed;
    packed.stripes = matrix.rows / Rows;
    packed.tail_rows = matrix.rows % Rows;
    packed.group_bytes = std::size_t{Rows} * matrix.group_size + Rows * sizeof(float);
    packed.stripe_bytes = packed.group_bytes * matrix.groups_per_row();
    return packed;
  }
  [[nodiscard]] const std::byte* stripe(const Matrix& matrix, std::uint32_t index) const noexcept {
    return matrix.data + index * stripe_bytes;
  }
  /// Values of tail row `index`; scales of all tail rows follow the values of all tail rows.
  [[nodiscard]] const std::int8_t* tail_values(const Matrix& matrix, std::uint32_t index) const noexcept {
    return reinterpret_cast<const std::int8_t*>(stripe(matrix, stripes)) + std::size_t{index} * matrix.cols;
  }
  [[nodiscard]] const float* tail_scales(const Matrix& matrix, std::uint32_t index) const noexcept {
    return reinterpret_cast<const float*>(stripe(matrix, stripes) + std::size_t{tail_rows} * matrix.cols) +
           std::size_t{index} * matrix.groups_per_row();
  }
};

/// Bytes of scratch that pack_rows() needs: all scales, and the values of one stripe.
template <std::uint32_t Rows>
[[nodiscard]] std::size_t pack_scratch_bytes(const Matrix& matrix) noexcept {
  return std::size_t{matrix.rows} * matrix.groups_per_row() * sizeof(float) + std::size_t{Rows} * matrix.cols;
}

/// Packs a freshly read matrix in place. Flip is xored into every packed value (0x80 makes them unsigned with
/// a bias).
template <std::uint32_t Rows, std::uint8_t Flip = 0>
void pack_rows(const Matrix& matrix, std::span<std::byte> scratch) noexcept {
  const auto packed = PackedRows<Rows>::of(matrix);
  const std::size_t groups = matrix.groups_per_row();
  const std::size_t scale_bytes = matrix.rows * groups * sizeof(float);
  const std::size_t stripe_values = std::size_t{Rows} * matrix.cols;
  std::byte* const scales = scratch.data();
  std::byte* const values = scales + scale_bytes;
  std::memcpy(scales, matrix.data + scales_offset(matrix.rows, matrix.cols), scale_bytes);

  // From the end backwards, since every stripe moves towards higher addresses.
  std::byte* const tail = matrix.data + packed.stripes * packed.stripe_bytes;
  const std::size_t tail_bytes = std::size_t{packed.tail_rows} * matrix.cols;
  std::memmove(tail, matrix.data + packed.stripes * stripe_values, tail_bytes);
  std::memcpy(tail + tail_bytes, scales + packed.stripes * Rows * groups * sizeof(float),
              packed.tail_rows * groups * sizeof(float));
  for (std::uint32_t stripe = packed.stripes; stripe-- > 0;) {
    std::memcpy(values, matrix.data + stripe * stripe_values, stripe_values);
    const std::byte* const stripe_scales = scales + stripe * Rows * groups * sizeof(float);
    std::byte* out = matrix.data + stripe * packed.stripe_bytes;
    for (std::size_t group = 0; group < groups; ++group) {
      for (std::size_t col = group * matrix.group_size; col < (group + 1) * matrix.group_size;
           col += packed_cols) {
        const std::byte* from = values + col;
        unrolled<int{Rows}>([&]<int Row>() __attribute__((always_inline)) {
          // Whole words: rows are multiples of four values. The builtin, since a freestanding memcpy is a
          // call.
          std::uint32_t word = 0;
          __builtin_memcpy(&word, __builtin_assume_aligned(from, packed_cols), sizeof word);
          word ^= Flip * 0x01010101U;
          __builtin_memcpy(__builtin_assume_aligned(out + Row * sizeof word, packed_cols), &word,
                           sizeof word);
          from += matrix.cols;
        });
        out += std::size_t{Rows} * packed_cols;
      }
      const std::byte* from = stripe_scales + group * sizeof(float);
      for (std::uint32_t row = 0; row < Rows; ++row) {
        __builtin_memcpy(__builtin_assume_aligned(out, sizeof(float)),
                         __builtin_assume_aligned(from, sizeof(float)), sizeof(float));
        out += sizeof(float);
        from += groups * sizeof(float);
      }
    }
  }
}

/// One row as floats: value * scale. out: [cols].
template <std::uint32_t Rows, std::uint8_t Flip = 0>
void unpack_row(const Matrix& matrix, std::uint32_t row, float* out) noexcept {
  const auto packed = PackedRows<Rows>::of(matrix);
  const std::uint32_t group_size = matrix.group_size;
  if (row >= packed.stripes * Rows) {
    const std::uint32_t index = row - packed.stripes * Rows;
    const std::int8_t* const values = packed.tail_values(matrix, index);
    const float* const scales = packed.tail_scales(matrix, index);
    for (std::uint32_t col = 0; col < matrix.cols; ++col) {
      out[col] = static_cast<float>(values[col]) * scales[col / group_size];
    }
    return;
  }
  const std::byte* group = packed.stripe(matrix, row / Rows);
  const std::size_t lane = row % Rows;
  for (std::uint32_t first = 0; first < matrix.cols; first += group_size) {
    float scale = 0.0F;
    std::memcpy(&scale, group + std::size_t{Rows} * group_size + lane * sizeof(float), sizeof scale);
    for (std::uint32_t i = 0; i < group_size; ++i) {
      const std::size_t at = (i / packed_cols * Rows + lane) * packed_cols + i % packed_cols;
      out[first + i] = static_cast<float>(static_cast<std::int8_t>(group[at] ^ std::byte{Flip})) * scale;
    }
    group += packed.group_bytes;
  }
}

}  // namespace pspllm
