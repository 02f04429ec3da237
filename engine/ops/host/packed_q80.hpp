// How the host sets lay out a q80 matrix, so that one pointer streams values and scales in order.
//
// Rows are cut into stripes of `lanes` rows, a stripe into groups, a group into steps of `columns_per_step`
// columns:
//   stripe: [groups] of { values [group_size / columns_per_step, lanes, columns_per_step] int8,
//                         scales [lanes] fp32 }
// The rows left over make a last, narrower stripe of the same form. A kernel loads it as if it were `lanes`
// wide and ended where the narrow one ends: the lanes in front hold bytes of what lies before, and their
// results are dropped. That is why a matrix needs at least one full stripe.
//
// Not packed, and left to the reference: matrices of fewer than `lanes` rows, and group sizes that
// columns_per_step does not divide.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/model/tensor.hpp"

namespace pspllm::host {

/// The layout's two parameters, and what is stored.
struct PackedFormat {
  std::uint32_t lanes = 0;             ///< rows of a full stripe
  std::uint32_t columns_per_step = 0;  ///< neighbouring columns of a row
  std::uint8_t value_flip = 0;         ///< xored into every value: 0x80 makes it unsigned, 128 larger
};

/// Whether a group of that size can be packed at all: what quantised activations and matrices go by.
[[nodiscard]] constexpr bool packs_groups(const PackedFormat& format, std::uint32_t group_size) noexcept {
  return group_size % format.columns_per_step == 0;
}
[[nodiscard]] constexpr bool is_packed(const PackedFormat& format, const Matrix& matrix) noexcept {
  return packs_groups(format, matrix.group_size) && matrix.rows >= format.lanes;
}

/// Bytes of one stripe of `width` rows.
[[nodiscard]] constexpr std::size_t stripe_bytes(const Matrix& matrix, std::uint32_t width) noexcept {
  return std::size_t{width} * (matrix.cols + std::size_t{matrix.groups_per_row()} * sizeof(float));
}

/// Scratch of pack_q80(): all scales and one stripe's values.
[[nodiscard]] std::size_t pack_q80_scratch_bytes(const PackedFormat& format, const Matrix& matrix) noexcept;

/// Rearranges a matrix for which is_packed() holds, in place.
void pack_q80(const PackedFormat& format, const Matrix& matrix, std::byte* scratch) noexcept;

/// One row of a packed matrix as floats. out: [cols].
void dequantize_packed_row(const PackedFormat& format, const Matrix& matrix, std::uint32_t row,
                           float* out) noexcept;

}  // namespace pspllm::host
