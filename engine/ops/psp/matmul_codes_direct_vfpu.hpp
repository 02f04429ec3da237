// Byte codes times activations without tables: for several tokens.
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
  const float* x = nullptr;  ///< whole numbers of the first token
  std::size_t x_stride = 0;  ///< floats from one token's to the next one's
  float* sums = nullptr;     ///< [tokens, out_stride], row 0 of the matrix
  std::size_t out_stride = 0;
};

/// sums[token, row] = sum over columns of word * x, for 8, 4, 2 or 1 tokens. The sums must stay below 2^24.
void multiply_codes_directly(const DirectJob& job, std::uint32_t tokens) noexcept;

}  // namespace pspllm::psp
