// What the VFPU's integer attention is made of: slots of a cache four at a time, for one to four queries that
// share a key/value head.
#pragma once

#include <cstdint>

#include "engine/ops/kernels.hpp"

namespace pspllm::psp {

/// 4 slots x 4 components are one lv.q, as a tile of q80 weights is: keys with slots as rows, values with
/// components as rows.
inline constexpr std::uint32_t int8_tile = 4;
inline constexpr Int8CacheLayout int8_tile_layout{
    .key_positions = int8_tile, .key_columns = int8_tile, .value_positions = int8_tile};

/// Components that the kernels take at a time: one cache line of four slots.
inline constexpr std::uint32_t int8_block = 16;
/// Sums of whole numbers below it are exact in floats, in any order.
inline constexpr std::uint32_t exact_below = 1U << 24;
/// Widest head whose dot products of int8 are exact.
inline constexpr std::uint32_t widest_exact_head = (exact_below - 1) / (127 * 127);

inline constexpr int most_queries = 4;

/// One head's cache and what the queries see of it.
struct Int8Tiles {
  const std::byte* keys = nullptr;
  const std::byte* values = nullptr;
  const float* key_scales = nullptr;
  const float* value_scales = nullptr;
  std::uint32_t head_dim = 0;  ///< a multiple of int8_block
  std::uint32_t tiles = 0;     ///< that hold all slots which any of the queries sees
};

struct Int8TileQuery {
  float* values = nullptr;   // [head_dim] the quantised query as floats; the result afterwards
  float* high = nullptr;     // [head_dim] scratch
  float* weights = nullptr;  // [tiles * 4] scores, then whole weights
  float scale = 0.0F;        ///< of the query
  float unit = 0.0F;         ///< what a weight of 1 stands for
  float weight_sum = 0.0F;   ///< of the whole weights; exact below 2^24
};

/// weights = ((dot * scale) * key_scale) / sqrt(head_dim) for all slots of all tiles.
void score_int8_tiles(const Int8Tiles& tiles, Int8TileQuery* queries, int n_queries) noexcept;

/// values = float(sum of weight * value) * unit, the sum as exact as an integer.
void mix_int8_tiles(const Int8Tiles& tiles, Int8TileQuery* queries, int n_queries) noexcept;

}  // namespace pspllm::psp
