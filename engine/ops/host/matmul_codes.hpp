// Byte codes times activations: exact sums, so their order is free. Two ways, both leaving int32 sums where
// the results will stand:
//   word by word  one token: a code's word, as int16, times its activations; nothing to prepare but the
//                 codebook, which stays in the first cache.
//   decoded       several tokens: four rows' words one behind the other, then pairs of columns multiplied and
//                 added, several tokens sharing what is loaded.
// Tables of all words times a group's activations, as a console has them, were slower here: a load from a
// table costs what a load of a word and its multiplication cost (1.6 times the time with AVX2).
#pragma once

#include <algorithm>

#include "engine/model/code_matrix.hpp"
#include "engine/ops/host/code_activations.hpp"
#include "engine/ops/host/elementwise.hpp"
#include "engine/ops/host/vectors.hpp"
#include "engine/ops/kernels.hpp"

namespace pspllm::host {

inline constexpr std::uint32_t rows_at_once = 4;

/// Pairs of neighbouring columns as vpmaddwd takes them.
template <class Isa>
using Pairs = Vector<std::int16_t, 2 * Isa::lanes>;

template <class Isa>
[[gnu::always_inline]] inline Pairs<Isa> load_pairs_at(const void* from) noexcept {
  Pairs<Isa> pairs;
  __builtin_memcpy(&pairs, from, sizeof pairs);
  return pairs;
}

/// What the functions below work on: a matrix, and some of its rows.
struct CodeRows {
  CodeMatrix matrix;
  Range rows;

  [[nodiscard, gnu::always_inline]] const std::uint8_t* codes(std::uint32_t tile,
                                                              std::uint32_t row) const noexcept {
    return reinterpret_cast<const std::uint8_t*>(matrix.start +
                                                 matrix.layout.code_offset(row, tile * code_tile_groups));
  }
};

[[gnu::always_inline]] inline void add_to_sum(float* place, std::int32_t addend, bool is_first) noexcept {
  std::int32_t sum = 0;
  if (!is_first) __builtin_memcpy(&sum, place, sizeof sum);
  sum += addend;
  __builtin_memcpy(place, &sum, sizeof sum);
}

/// Some tiles of columns.
struct ColumnBlock {
  std::uint32_t first_tile = 0;
  std::uint32_t end_tile = 0;
};

/// A word as a vector, and its products with activations.
using WideWord = Vector<std::int16_t, max_code_width>;
inline constexpr std::uint32_t word_sums = max_code_width / 2;

/// Every word of the codebook as a vector; behind its entries stands what follows it in the file.
template <class Isa>
struct WideCodebook {
  alignas(64) std::int16_t words[codebook_words][max_code_width];

  [[gnu::always_inline]] explicit WideCodebook(const CodeMatrix& matrix) noexcept {
    const std::int8_t* from = matrix.codebook;
    for (auto& word : words) {
      Vector<std::int8_t, max_code_width> bytes;
      __builtin_memcpy(&bytes, from, sizeof bytes);
      const auto wide = __builtin_convertvector(bytes, WideWord);
      __builtin_memcpy(word, &wide, sizeof wide);
      from += matrix.layout.code_width;
    }
  }
};

// --- word by word ---

/// Tiles whose activations are arranged together.
inline constexpr std::uint32_t word_tiles = 16;

/// A block's activations, each group padded with zeros to a vector, so that what stands behind a word's
/// entries counts for nothing.
template <class Isa>
struct WordActivations {
  alignas(64) std::int16_t values[word_tiles * code_tile_groups][max_code_width];

  [[gnu::always_inline]] void arrange(const std::int16_t* x, std::uint32_t n_groups,
                                      std::uint32_t code_width) noexcept {
    for (std::uint32_t group = 0; group < n_groups; ++group, x += code_width) {
      for (std::uint32_t k = 0; k < max_code_width; ++k) {
        values[group][k] = k < code_width ? x[k] : std::int16_t{0};
      }
    }
  }
};

template <class Isa, std::uint32_t n_rows>
[[gnu::always_inline]] inline void multiply_words(const CodeRows& part, const WideCodebook<Isa>& codebook,
                                                  const WordActivations<Isa>& x, std::uint32_t first_row,
                                                  ColumnBlock block, float* out) noexcept {
  Ints<word_sums> sums[n_rows] = {};
  const auto* values = x.values;
  for (std::uint32_t tile = block.first_tile; tile < block.end_tile; ++tile) {
    const std::uint32_t n_groups = part.matrix.layout.tile_groups(tile);
    const std::uint8_t* codes = part.codes(tile, first_row);
    for (std::uint32_t left = n_groups; left > 0; left -= code_tile_step, codes += code_tile_step) {
      for (std::uint32_t group = 0; group < code_tile_step; ++group, ++values) {
        WideWord value;
        __builtin_memcpy(&value, *values, sizeof value);
        for (std::uint32_t row = 0; row < n_rows; ++row) {
          WideWord word;
          __builtin_memcpy(&word, codebook.words[codes[std::size_t{row} * n_groups + group]], sizeof word);
          sums[row] = Isa::add_pair_products(sums[row], value, word);
        }
      }
    }
  }
  for (std::uint32_t row = 0; row < n_rows; ++row) {
    const auto sum = reduce<std::int32_t, word_sums>(sums[row], [](auto a, auto b) { return a + b; });
    add_to_sum(out + first_row + row, sum, block.first_tile == 0);
  }
}

/// One token. out: [rows of the matrix].
template <class Isa>
[[gnu::noinline]] void multiply_word_by_word(const CodeRows& part, const std::int16_t* x,
                                             float* out) noexcept {
  const CodeLayout& layout = part.matrix.layout;
  const WideCodebook<Isa> codebook(part.matrix);
  WordActivations<Isa> values;
  for (std::uint32_t tile = 0; tile < layout.tiles(); tile += word_tiles) {
    const ColumnBlock block{tile, std::min(tile + word_tiles, layout.tiles())};
    const std::uint32_t first_group = tile * code_tile_groups;
    const std::uint32_t end_group = std::min(layout.stored_groups(), block.end_tile * code_tile_groups);
    values.arrange(x + std::size_t{first_group} * layout.code_width, end_group - first_group,
                   layout.code_width);
    std::uint32_t row = part.rows.begin;
    for (; row + rows_at_once <= part.rows.end; row += rows_at_once) {
      multiply_words<Isa, rows_at_once>(part, codebook, values, row, block, out);
    }
    for (; row < part.rows.end; ++row) multiply_words<Isa, 1>(part, codebook, values, row, block, out);
  }
}

// --- decoded ---

/// Columns that are decoded together: the rows' values stay in the first cache. Tiles are even in number, so
/// that a block begins at a multiple of code_value_step.
inline constexpr std::uint32_t decoded_cols = 1024;

template <class Isa>
struct DecodedRows {
  /// What a word's vector overlaps is overwritten by the next word; behind the last one it meets zeros.
  alignas(64) std::int16_t values[rows_at_once][decoded_cols + code_value_step + max_code_width];
};

template <class Isa>
[[gnu::always_inline]] inline void decode_row(const CodeRows& part, const WideCodebook<Isa>& codebook,
                                              std::uint32_t row, ColumnBlock block,
                                              std::int16_t* to) noexcept {
  const CodeLayout& layout = part.matrix.layout;
  for (std::uint32_t tile = block.first_tile; tile < block.end_tile; ++tile) {
    const std::uint8_t* codes = part.codes(tile, row);
    for (std::uint32_t left = layout.tile_groups(tile); left > 0; left -= code_tile_step) {
      for (std::uint32_t i = 0; i < code_tile_step; ++i, to += layout.code_width) {
        __builtin_memcpy(to, codebook.words[codes[i]], sizeof codebook.words[0]);
      }
      codes += code_tile_step;
    }
  }
}

/// Tokens that are multiplied together: values of the block's columns, `stride` apart.
struct CodeTokens {
  const std::int16_t* values = nullptr;
  std::size_t stride = 0;
};

template <class Isa, std::uint32_t n_rows, std::uint32_t n_tokens>
void multiply_decoded(const DecodedRows<Isa>& rows, const CodeTokens& x, std::uint32_t n_cols, float* out,
                      std::size_t out_stride, bool is_first) noexcept {
  Ints<Isa::lanes> sums[n_rows][n_tokens] = {};
  for (std::uint32_t col = 0; col < n_cols; col += 2 * Isa::lanes) {
    Pairs<Isa> values[n_tokens];
    for (std::uint32_t token = 0; token < n_tokens; ++token) {
      values[token] = load_pairs_at<Isa>(x.values + token * x.stride + col);
    }
    for (std::uint32_t row = 0; row < n_rows; ++row) {
      const Pairs<Isa> weights = load_pairs_at<Isa>(rows.values[row] + col);
      for (std::uint32_t token = 0; token < n_tokens; ++token) {
        sums[row][token] = Isa::add_pair_products(sums[row][token], weights, values[token]);
      }
    }
  }
  for (std::uint32_t token = 0; token < n_tokens; ++token) {
    for (std::uint32_t row = 0; row < n_rows; ++row) {
      const auto sum =
          reduce<std::int32_t, Isa::lanes>(sums[row][token], [](auto a, auto b) { return a + b; });
      add_to_sum(out + token * out_stride + row, sum, is_first);
    }
  }
}

/// All tokens times `n_rows` decoded rows. x, out: of the first token.
template <class Isa, std::uint32_t n_rows>
[[gnu::always_inline]] inline void multiply_tokens(const DecodedRows<Isa>& rows, CodeTokens x,
                                                   std::uint32_t n_tokens, std::uint32_t n_cols, float* out,
                                                   std::size_t out_stride, bool is_first) noexcept {
  const auto take = [&]<std::uint32_t count>() {
    for (; n_tokens >= count; n_tokens -= count) {
      multiply_decoded<Isa, n_rows, count>(rows, x, n_cols, out, out_stride, is_first);
      x.values += count * x.stride;
      out += count * out_stride;
    }
  };
  take.template operator()<Isa::f32_tile>();
  take.template operator()<2>();
  take.template operator()<1>();
}

template <class Isa>
[[gnu::noinline]] void multiply_decoding(const CodeRows& part, const QuantizedActivations& x,
                                         float* out) noexcept {
  const CodeLayout& layout = part.matrix.layout;
  const WideCodebook<Isa> codebook(part.matrix);
  DecodedRows<Isa> decoded{};
  const std::uint32_t tile_cols = code_tile_groups * layout.code_width;
  const std::uint32_t block_tiles = decoded_cols / tile_cols / 2 * 2;
  const CodeTokens tokens{CodeToken<Isa>::of(x, 0).values,
                          code_activation_bytes<Isa>(x.cols) / sizeof(std::int16_t)};
  for (std::uint32_t tile = 0; tile < layout.tiles(); tile += block_tiles) {
    const ColumnBlock block{tile, std::min(tile + block_tiles, layout.tiles())};
    const std::uint32_t first_col = tile * tile_cols;
    const std::uint32_t n_cols = std::min(layout.padded_cols(), block.end_tile * tile_cols) - first_col;
    const CodeTokens values{tokens.values + first_col, tokens.stride};
    std::uint32_t row = part.rows.begin;
    const auto take = [&]<std::uint32_t n_rows>() {
      for (; row + n_rows <= part.rows.end; row += n_rows) {
        for (std::uint32_t i = 0; i < n_rows; ++i) {
          decode_row<Isa>(part, codebook, row + i, block, decoded.values[i]);
        }
        multiply_tokens<Isa, n_rows>(decoded, values, x.n_tokens, n_cols, out + row, layout.rows, tile == 0);
      }
    };
    take.template operator()<rows_at_once>();
    take.template operator()<1>();
  }
}

/// out = (float(sum) * x_scale) * row_scale, in place.
template <class Isa>
[[gnu::always_inline]] inline void scale_sums(float* out, const float* row_scales, std::uint32_t n_rows,
                                              float x_scale) noexcept {
  for_each_lane<Isa>(n_rows, [&]<std::uint32_t lanes>(std::uint32_t row) {
    using V = Lanes<Isa, lanes>;
    Ints<lanes> sums;
    __builtin_memcpy(&sums, out + row, sizeof sums);
    V::store(out + row, (V::to_float(sums) * V::broadcast(x_scale)) * V::load(row_scales + row));
  });
}

/// Kernels::matmul_codes.
template <class Isa>
void matmul_codes(std::span<const ProjectedRows> projections, const QuantizedActivations& x) noexcept {
  for (const ProjectedRows& projection : projections) {
    const CodeRows part{CodeMatrix::of(*projection.matrix), projection.rows};
    const std::uint32_t n_rows = part.rows.end - part.rows.begin;
    const std::size_t stride = projection.matrix->rows;
    if (x.n_tokens == 1) {
      multiply_word_by_word<Isa>(part, CodeToken<Isa>::of(x, 0).values, projection.out);
    } else {
      multiply_decoding<Isa>(part, x, projection.out);
    }
    for (std::uint32_t token = 0; token < x.n_tokens; ++token) {
      scale_sums<Isa>(projection.out + token * stride + part.rows.begin,
                      part.matrix.row_scales + part.rows.begin, n_rows, *CodeToken<Isa>::of(x, token).scale);
    }
  }
}

}  // namespace pspllm::host
