#include "engine/ops/psp/packed_codes.hpp"

#include <algorithm>
#include <cstring>

namespace pspllm::psp {
namespace {

/// A row's codes of one block, as a word.
static_assert(code_block_groups == sizeof(std::uint32_t));

void copy_block_codes(std::byte* to, const std::byte* from) noexcept {
  // The builtin: a freestanding memcpy is a call.
  __builtin_memcpy(__builtin_assume_aligned(to, code_block_groups),
                   __builtin_assume_aligned(from, code_block_groups), code_block_groups);
}

/// A tile [rows][n_blocks][4] becomes [n_blocks][rows][4].
template <std::uint32_t n_blocks>
void split_tile(std::byte* codes, std::uint32_t rows, std::byte* scratch) noexcept {
  const std::size_t block_bytes = std::size_t{rows} * code_block_groups;
  const std::byte* from = codes;
  for (std::size_t at = 0; at < block_bytes; at += code_block_groups) {
    copy_block_codes(codes + at, from);
    for (std::uint32_t block = 1; block < n_blocks; ++block) {
      copy_block_codes(scratch + (block - 1) * block_bytes + at, from + block * code_block_groups);
    }
    from += n_blocks * code_block_groups;
  }
  std::memcpy(codes + block_bytes, scratch, (n_blocks - 1) * block_bytes);
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
    const std::uint32_t n_groups = layout.tile_groups(tile);
    switch (n_groups / code_block_groups) {
      case 4:
        split_tile<4>(codes, layout.rows, scratch.data());
        break;
      case 3:
        split_tile<3>(codes, layout.rows, scratch.data());
        break;
      case 2:
        split_tile<2>(codes, layout.rows, scratch.data());
        break;
      default:  // one block: nothing to split
        break;
    }
    codes += std::size_t{n_groups} * layout.rows;
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
