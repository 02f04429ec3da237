// How the host sets lay out an fp32 matrix: stripes of `lanes` rows, each [cols, lanes]; the rows left over
// make a narrower stripe, loaded as in packed_q80.hpp. Matrices of fewer rows stay as they are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/model/tensor.hpp"

namespace pspllm::host {

/// Scratch of pack_f32(): one stripe.
[[nodiscard]] std::size_t pack_f32_scratch_bytes(std::uint32_t lanes, const Matrix& matrix) noexcept;

/// Rearranges a matrix of at least `lanes` rows in place.
void pack_f32(std::uint32_t lanes, const Matrix& matrix, std::byte* scratch) noexcept;

/// Copies one row of a packed matrix. out: [cols].
void copy_packed_f32_row(std::uint32_t lanes, const Matrix& matrix, std::uint32_t row, float* out) noexcept;

}  // namespace pspllm::host
