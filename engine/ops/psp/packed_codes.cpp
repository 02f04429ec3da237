#include "engine/ops/psp/packed_codes.hpp"

#include <algorithm>
#include <cstring>

namespace pspllm::psp {
namespace {

/// [rows, from + behind] becomes [rows, from] and, behind it, [rows, behind]. Counts are multiples of 4
/// bytes.
void split_rows(std::byte* codes, std::uint32_t rows, std::uint32_t from, std::uint32_t behind,
                std::byte* scratch) noexcept {
  const std::size_t stride = std::size_t{from} + behind;
  for (std::uint32_t row = 0; row < rows; ++row) {
    std::memcpy(scratch + std::size_t{row} * behind, codes + row * stride + from, behind);
    std::memmove(codes + std::size_t{row} * from, codes + row * stride, from);
  }
  std::memcpy(codes + std::size_t{rows} * from, scratch, std::size_t{rows} * behind);
}

void pack_codebook(std::byte* codebook, std::uint32_t code_width, std::byte* scratch) noexcept {
  std::memcpy(scratch, codebook, std::size_t{codebook_words} * code_width);
  const std::uint32_t in_vectors = code_width / 4 * 4;
  for (std::uint32_t first = 0; first < codebook_words; first += code_quad) {
    for (std::uint32_t k = 0; k < code_width; k += k < in_vectors ? 4 : 1) {
      for (std::uint32_t lane = 0; lane < code_quad; ++lane) {
        const std::byte* const word = scratch + std::size_t{first + lane} * code_width + k;
        const std::uint32_t entries = k < in_vectors ? 4 : 1;
        for (std::uint32_t i = 0; i < entries; ++i) *codebook++ = word[i];
      }
    }
  }
}

}  // namespace

std::size_t pack_codes_scratch_bytes(const Matrix& matrix) noexcept {
  return std::max(std::size_t{matrix.rows} * (code_tile_groups - code_block_groups),
                  std::size_t{codebook_words} * matrix.group_size);
}

void pack_codes(const Matrix& matrix, std::span<std::byte> scratch) noexcept {
  const CodeLayout layout{matrix.rows, matrix.cols, matrix.group_size};
  pack_codebook(matrix.data, layout.code_width, scratch.data());
  std::byte* codes = matrix.data + layout.codes_offset();
  for (std::uint32_t tile = 0; tile < layout.tiles(); ++tile) {
    for (std::uint32_t left = layout.tile_groups(tile); left > 0; left -= code_block_groups) {
      if (left > code_block_groups) {
        split_rows(codes, layout.rows, code_block_groups, left - code_block_groups, scratch.data());
      }
      codes += std::size_t{code_block_groups} * layout.rows;
    }
  }
}

void dequantize_packed_code_row(const Matrix& matrix, std::uint32_t row, float* out) noexcept {
  const PackedCodes view = PackedCodes::of(matrix);
  const std::uint32_t code_width = view.layout.code_width;
  const float scale = view.row_scales[row];
  for (std::uint32_t col = 0, group = 0; col < matrix.cols; ++group) {
    const std::uint8_t code = view.code(row, group);
    for (std::uint32_t k = 0; k < code_width && col < matrix.cols; ++k, ++col) {
      out[col] = static_cast<float>(view.entry(code, k)) * scale;
    }
  }
}

}  // namespace pspllm::psp
