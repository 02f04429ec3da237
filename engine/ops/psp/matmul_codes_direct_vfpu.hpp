// Byte codes times activations without tables.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/ops/psp/packed_codes.hpp"

namespace pspllm::psp {

/// Rows of a matrix and what they meet. Rows are multiples of 4 at 16-byte boundaries.
struct DirectJob {
  const PackedCodes& matrix;
  std::uint32_t row_begin = 0;
  std::uint32_t row_end = 0;
  const float* x = nullptr;        ///< whole numbers of the first token, at a 16-byte boundary
  const float* x_scale = nullptr;  ///< of the first token
  std::size_t x_stride = 0;        ///< floats from one token's to the next one's; a multiple of 4
  float* out = nullptr;            ///< [tokens, out_stride], row 0 of the matrix
  std::size_t out_stride = 0;
};

/// out[token, row] = ((sum over columns of word * x) * x_scale) * row_scale for the first of `tokens` tokens;
/// gives for how many: up to 12. The sums must stay below 2^24.
[[nodiscard]] std::uint32_t multiply_codes_directly(const DirectJob& job, std::uint32_t tokens) noexcept;
/// The same for the first token alone.
void multiply_one_token_directly(const DirectJob& job) noexcept;

}  // namespace pspllm::psp
