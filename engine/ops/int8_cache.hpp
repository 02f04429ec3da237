// The int8 key/value cache of models whose matrices are byte codes: layout, sizes and the bound that keeps
// attention in exact integers (docs/numerics.md, contract 4).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "engine/core/checked.hpp"
#include "engine/core/limits.hpp"

namespace pspllm {

/// Largest magnitude of a quantised query, key or value.
inline constexpr std::int32_t largest_int8 = 127;

/// Bytes of one position's key or value of one head: whole words, so that kernels load four at a time. What
/// fills a row up is never written: it meets activations that are 0.
[[nodiscard]] constexpr std::uint32_t int8_row_bytes(std::uint32_t head_dim) noexcept {
  return static_cast<std::uint32_t>(align_up(head_dim, 4));
}

/// How a kernel set interleaves the cache of one head, so that it computes several positions at once.
/// keys: [capacity / key_positions, row / key_columns, key_positions, key_columns];
/// values: [capacity / value_positions, row, value_positions]. The set's key_tile is a multiple of both
/// numbers of positions.
struct Int8CacheLayout {
  std::uint32_t key_positions = 1;
  std::uint32_t key_columns = 1;      ///< 1, 2 or 4
  std::uint32_t value_positions = 1;  ///< 1, 2 or 4
  std::uint8_t key_flip = 0;          ///< XORed to every key: 0x80 stores it 128 larger, unsigned

  [[nodiscard]] constexpr std::size_t key_offset(std::uint32_t position, std::uint32_t column,
                                                 std::uint32_t row_bytes) const noexcept {
    return std::size_t{position / key_positions} * key_positions * row_bytes +
           std::size_t{column / key_columns} * key_positions * key_columns +
           std::size_t{position % key_positions} * key_columns + column % key_columns;
  }
  [[nodiscard]] constexpr std::size_t value_offset(std::uint32_t position, std::uint32_t column,
                                                   std::uint32_t row_bytes) const noexcept {
    return std::size_t{position / value_positions} * value_positions * row_bytes +
           std::size_t{column} * value_positions + position % value_positions;
  }
};

/// Largest integer weight of a position, for a window of that many: the sum of window products with values of
/// up to 127 stays within int32, whatever their signs and order.
[[nodiscard]] constexpr std::int32_t largest_attention_weight(std::uint32_t window) noexcept {
  return std::min<std::int32_t>(INT16_MAX, INT32_MAX / (largest_int8 * static_cast<std::int32_t>(window)));
}

// A score is a sum of head_dim <= max_dim products of two int8.
static_assert(std::int64_t{largest_int8} * largest_int8 * max_dim <= INT32_MAX);
// INT32_MAX / (127 * window) is rounded down, so 127 * window * weight <= INT32_MAX; the product below it
// fits, and some weight is left for the longest window.
static_assert(std::int64_t{largest_int8} * max_context <= INT32_MAX);
static_assert(largest_attention_weight(max_context) >= 127);
static_assert(largest_attention_weight(1) == INT16_MAX && largest_attention_weight(516) == INT16_MAX);
static_assert(largest_attention_weight(517) < INT16_MAX);

/// One layer's part of a cache region: the int8 rows of all heads, then a scale a head and position. A
/// checked shape keeps these below 2^40.
[[nodiscard]] constexpr std::uint64_t int8_rows_bytes(std::uint32_t n_kv_heads, std::uint32_t head_dim,
                                                      std::uint32_t capacity) noexcept {
  return align_up(std::uint64_t{n_kv_heads} * capacity * int8_row_bytes(head_dim), block_alignment);
}
[[nodiscard]] constexpr std::uint64_t int8_layer_bytes(std::uint32_t n_kv_heads, std::uint32_t head_dim,
                                                       std::uint32_t capacity) noexcept {
  return int8_rows_bytes(n_kv_heads, head_dim, capacity) +
         align_up(std::uint64_t{n_kv_heads} * capacity * sizeof(float), block_alignment);
}

}  // namespace pspllm
