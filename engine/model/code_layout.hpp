// Byte codes: one byte stands for `code_width` consecutive weights of a row, an index into a codebook of 256
// words that the whole matrix shares. 8 / code_width bits a weight. Kernels stream the codes with one
// pointer, tile by tile: the look-up tables of a tile (16 column groups, 256 entries of 2 bytes each) take
// 8 KB, half of the Allegrex's data cache.
//
// A matrix [rows, cols] in memory and in a .pspm file, each part on a 64-byte boundary:
//   codebook    int8  [256, code_width]
//   row_scales  fp32  [rows]
//   codes       uint8 [tiles][rows][groups of the tile]
// weight[row, group * code_width + k] = codebook[code][k] * row_scales[row].
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "engine/core/checked.hpp"
#include "engine/core/limits.hpp"

namespace pspllm {

inline constexpr std::uint32_t codebook_words = 256;
inline constexpr std::uint32_t max_code_width = 8;
/// Column groups whose tables are in the cache at a time.
inline constexpr std::uint32_t code_tile_groups = 16;
/// A last tile of fewer groups is filled up to a multiple of this, so that rows of it stay word-aligned. The
/// codes that fill it up are 0 and meet activations that are 0.
inline constexpr std::uint32_t code_tile_step = 4;
/// Columns past the last that any code width makes a kernel read: the rest of a word, and up to three words.
inline constexpr std::uint32_t max_code_padding = code_tile_step * max_code_width - 1;
/// Largest magnitude of an activation: quantize() gives -127 … 127.
inline constexpr std::int32_t max_activation = 127;

/// Largest magnitude of a codebook entry: a table entry is a sum of code_width products with activations and
/// must fit 16 bits. 127, 127, 86, 64, 51, 43, 36, 32 for widths 1 … 8.
[[nodiscard]] constexpr std::int32_t max_codeword(std::uint32_t code_width) noexcept {
  return std::min<std::int32_t>(127, INT16_MAX / (max_activation * static_cast<std::int32_t>(code_width)));
}

/// Where the parts of a byte-code matrix lie. Row sums cannot overflow int32: cols <= 32768 groups of at most
/// 32767 each stay below 2^30.
struct CodeLayout {
  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
  std::uint32_t code_width = 1;  ///< 1 … 8; need not divide cols

  /// Column groups that hold weights; the last may reach past cols, into activations that are 0.
  [[nodiscard]] constexpr std::uint32_t groups() const noexcept {
    return (cols + code_width - 1) / code_width;
  }
  /// With those that fill up the last tile.
  [[nodiscard]] constexpr std::uint32_t stored_groups() const noexcept {
    return static_cast<std::uint32_t>(align_up(groups(), code_tile_step));
  }
  [[nodiscard]] constexpr std::uint32_t tiles() const noexcept {
    return (stored_groups() + code_tile_groups - 1) / code_tile_groups;
  }
  /// Groups of one tile: 16, or what is left for the last.
  [[nodiscard]] constexpr std::uint32_t tile_groups(std::uint32_t tile) const noexcept {
    return std::min(code_tile_groups, stored_groups() - tile * code_tile_groups);
  }
  /// Activations that a kernel reads: values past cols must be 0.
  [[nodiscard]] constexpr std::uint32_t padded_cols() const noexcept { return stored_groups() * code_width; }

  [[nodiscard]] constexpr std::uint64_t row_scales_offset() const noexcept {
    return align_up(std::uint64_t{codebook_words} * code_width, block_alignment);
  }
  [[nodiscard]] constexpr std::uint64_t codes_offset() const noexcept {
    return row_scales_offset() + align_up(std::uint64_t{rows} * sizeof(float), block_alignment);
  }
  /// From the matrix's start to the code of one row and group.
  [[nodiscard]] constexpr std::uint64_t code_offset(std::uint32_t row, std::uint32_t group) const noexcept {
    const std::uint32_t tile = group / code_tile_groups;
    return codes_offset() + std::uint64_t{tile} * code_tile_groups * rows +
           std::uint64_t{row} * tile_groups(tile) + group % code_tile_groups;
  }
  /// The whole matrix; a multiple of 64.
  [[nodiscard]] constexpr std::uint64_t bytes() const noexcept {
    return codes_offset() + align_up(std::uint64_t{rows} * stored_groups(), block_alignment);
  }
};

}  // namespace pspllm
