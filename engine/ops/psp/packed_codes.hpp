// How the PSP's kernels keep a byte-code matrix (engine/model/code_layout.hpp): in the same bytes, rearranged
// once at load.
//   codes     [blocks][rows][4 groups]: the float tables of a block take 4 KB, a quarter of the data cache,
//   so
//             that the sums of the rows stay in the cache too
//   codebook  64 times, for 4 code words: code_width words of 4 bytes each. For every 4 entries of a code
//   word
//             one such word a code word (its 4 entries); for each entry that is left one word (of the 4 code
//             words). The VFPU unpacks a word to 4 floats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/model/code_layout.hpp"
#include "engine/model/tensor.hpp"

namespace pspllm::psp {

/// Groups whose tables are in the cache at a time: 256 floats each.
inline constexpr std::uint32_t code_block_groups = code_tile_step;
/// Code words that are unpacked together.
inline constexpr std::uint32_t code_quad = 4;

struct PackedCodes {
  CodeLayout layout;
  const std::int8_t* codebook = nullptr;
  const float* row_scales = nullptr;  // [rows]
  const std::uint8_t* codes = nullptr;

  [[nodiscard]] static PackedCodes of(const Matrix& matrix) noexcept {
    PackedCodes view;
    view.layout = {matrix.rows, matrix.cols, matrix.group_size};
    view.codebook = reinterpret_cast<const std::int8_t*>(matrix.data);
    view.row_scales = reinterpret_cast<const float*>(matrix.data + view.layout.row_scales_offset());
    view.codes = reinterpret_cast<const std::uint8_t*>(matrix.data + view.layout.codes_offset());
    return view;
  }
  [[nodiscard]] std::uint32_t blocks() const noexcept { return layout.stored_groups() / code_block_groups; }
  /// The codes of one row and block: [code_block_groups].
  [[nodiscard]] const std::uint8_t* row_codes(std::uint32_t block, std::uint32_t row) const noexcept {
    return codes + (std::size_t{block} * layout.rows + row) * code_block_groups;
  }
  [[nodiscard]] std::uint8_t code(std::uint32_t row, std::uint32_t group) const noexcept {
    return row_codes(group / code_block_groups, row)[group % code_block_groups];
  }
  /// Entry k of a code word.
  [[nodiscard]] std::int8_t entry(std::uint8_t code, std::uint32_t k) const noexcept {
    const std::uint32_t in_vectors = layout.code_width / 4 * 4;
    const std::int8_t* const quad = codebook + std::size_t{code} / code_quad * code_quad * layout.code_width;
    const std::uint32_t lane = code % code_quad;
    return k < in_vectors ? quad[k / 4 * 16 + lane * 4 + k % 4] : quad[k * code_quad + lane];
  }
};

[[nodiscard]] std::size_t pack_codes_scratch_bytes(const Matrix& matrix) noexcept;
/// Rearranges a freshly read matrix in place. scratch: pack_codes_scratch_bytes().
void pack_codes(const Matrix& matrix, std::span<std::byte> scratch) noexcept;
/// As reference::dequantize_code_row().
void dequantize_packed_code_row(const Matrix& matrix, std::uint32_t row, float* out) noexcept;

}  // namespace pspllm::psp
