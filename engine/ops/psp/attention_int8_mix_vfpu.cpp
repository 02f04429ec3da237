// Values times whole weights: 4 slots x 16 components, a line, are unpacked once for all queries.
#include <algorithm>
#include <array>

#include "engine/ops/psp/attention_int8_vfpu.hpp"
#include "engine/ops/psp/matmul_q80_tiles.hpp"

namespace pspllm::psp {
namespace {

using vfpu::column;
using vfpu::lane;
using vfpu::Quad;

// Matrix 0 holds a tile of values.
constexpr Quad result(int query) noexcept {
  return column(1, static_cast<std::uint32_t>(query));
}
constexpr Quad raw(int tile) noexcept {
  return column(2, static_cast<std::uint32_t>(tile));
}
constexpr Quad weight_quad(int query) noexcept {
  return column(3, static_cast<std::uint32_t>(query));
}
constexpr Quad sum(int query, int tile) noexcept {
  return column(static_cast<std::uint32_t>(4 + query), static_cast<std::uint32_t>(tile));
}
// Behind the last tile of a block all but the sums are free.
constexpr vfpu::Single unit = lane(column(3, 0), 0);
constexpr vfpu::Single base = lane(column(3, 0), 1);
constexpr vfpu::Single inverse_base = lane(column(3, 0), 2);
constexpr Quad high_part(int tile) noexcept {
  return column(0, static_cast<std::uint32_t>(tile));
}
constexpr Quad low_part(int tile) noexcept {
  return column(1, static_cast<std::uint32_t>(tile));
}
constexpr Quad kept_part(int tile) noexcept {
  return column(2, static_cast<std::uint32_t>(tile));
}

constexpr int tiles_a_block = int8_block / int8_tile;

// Slots are taken in runs whose sums are exact. Between runs a sum is kept as high * split_base + low, whole
// numbers both: low grows by less than split_base a run, high by less than 2^24 / split_base.
constexpr std::int16_t split_base = 4096;
/// A tile's four weights of at most 32767 are always below it.
constexpr std::int32_t largest_exact_weights = (exact_below - 1) / 127;

/// Which run of several this is.
enum class Run { only, first, later };

template <int Queries>
using Pointers = std::array<const float*, std::size_t{Queries}>;

template <int Queries, int Tile>
[[gnu::always_inline]] inline void add_results() noexcept {
  unrolled<Queries>([]<int Query>() __attribute__((always_inline)) {
    vfpu::add<sum(Query, Tile), sum(Query, Tile), result(Query)>();
  });
}

template <int Queries>
[[gnu::always_inline]] inline void load_weights(const Pointers<Queries>& weights) noexcept {
  unrolled<Queries>([&weights]<int Query>()
                        __attribute__((always_inline)) { vfpu::load<weight_quad(Query)>(weights[Query]); });
}

/// Sums of one block of components over a run of slots.
template <int Queries>
[[gnu::always_inline]] inline void sum_block(const std::byte* values, std::size_t stride, std::uint32_t tiles,
                                             Pointers<Queries> weights) noexcept {
  unrolled<Queries>([]<int Query>() __attribute__((always_inline)) {
    vfpu::zero<result(Query)>();
    unrolled<tiles_a_block>([]<int Tile>()
                                __attribute__((always_inline)) { vfpu::zero<sum(Query, Tile)>(); });
  });
  unrolled<tiles_a_block>([values]<int Tile>() __attribute__((always_inline)) {
    vfpu::load<raw(Tile), Tile * x_tile_bytes>(values);
  });
  load_weights<Queries>(weights);
  for (; tiles > 0; --tiles) {
    // The last slots are loaded once more, so that nothing behind them is.
    if (tiles > 1) {
      values += stride;
      unrolled<Queries>([&weights]<int Query>()
                            __attribute__((always_inline)) { weights[Query] += int8_tile; });
    }
    unrolled<tiles_a_block>([values]<int Tile>() __attribute__((always_inline)) {
      unpack_tile<0, raw(Tile)>();
      tile_to_float<0>();
      // What the tile before gave, of the last slots for the first one.
      add_results<Queries, (Tile + tiles_a_block - 1) % tiles_a_block>();
      unrolled<Queries>([]<int Query>() __attribute__((always_inline)) {
        vfpu::transform<result(Query), 0, weight_quad(Query)>();
      });
      vfpu::load<raw(Tile), Tile * x_tile_bytes>(values);
    });
    load_weights<Queries>(weights);
  }
  add_results<Queries, tiles_a_block - 1>();
}

/// Calls body<0>() … body<3>(): the sums of a block side by side, so that none waits for its own result.
template <typename Body>
[[gnu::always_inline]] inline void each_tile(Body body) noexcept {
  unrolled<tiles_a_block>(body);
}

/// Adds a query's sums to its parts.
template <int Query, Run Which>
[[gnu::always_inline]] inline void keep_parts(float* out, float* high) noexcept {
  each_tile([]<int Tile>() __attribute__((always_inline)) {
    vfpu::scale<high_part(Tile), sum(Query, Tile), inverse_base>();
  });
  each_tile([]<int Tile>()
                __attribute__((always_inline)) { vfpu::to_integer<high_part(Tile), high_part(Tile), 0>(); });
  each_tile([]<int Tile>()
                __attribute__((always_inline)) { vfpu::to_float<high_part(Tile), high_part(Tile), 0>(); });
  each_tile([]<int Tile>()
                __attribute__((always_inline)) { vfpu::scale<low_part(Tile), high_part(Tile), base>(); });
  each_tile([]<int Tile>() __attribute__((always_inline)) {
    vfpu::subtract<low_part(Tile), sum(Query, Tile), low_part(Tile)>();
  });
  if constexpr (Which == Run::later) {
    each_tile([high]<int Tile>()
                  __attribute__((always_inline)) { vfpu::load<kept_part(Tile), Tile * x_tile_bytes>(high); });
    each_tile([]<int Tile>() __attribute__((always_inline)) {
      vfpu::add<high_part(Tile), high_part(Tile), kept_part(Tile)>();
    });
    each_tile([out]<int Tile>()
                  __attribute__((always_inline)) { vfpu::load<kept_part(Tile), Tile * x_tile_bytes>(out); });
    each_tile([]<int Tile>() __attribute__((always_inline)) {
      vfpu::add<low_part(Tile), low_part(Tile), kept_part(Tile)>();
    });
  }
  each_tile([high]<int Tile>()
                __attribute__((always_inline)) { vfpu::store<high_part(Tile), Tile * x_tile_bytes>(high); });
  each_tile([out]<int Tile>()
                __attribute__((always_inline)) { vfpu::store<low_part(Tile), Tile * x_tile_bytes>(out); });
}

/// The sums of a block, from registers to memory.
template <int Queries, Run Which>
[[gnu::always_inline]] inline void keep_block(const Int8TileQuery* queries, std::uint32_t from) noexcept {
  if constexpr (Which != Run::only) {
    constexpr float inverse = 1.0F / split_base;
    vfpu::set<base, split_base>();
    vfpu::load<inverse_base>(&inverse);
  }
  unrolled<Queries>([&]<int Query>() __attribute__((always_inline)) {
    float* const out = queries[Query].values + from;
    if constexpr (Which == Run::only) {
      vfpu::load<unit>(&queries[Query].unit);
      each_tile([]<int Tile>() __attribute__((always_inline)) {
        vfpu::scale<sum(Query, Tile), sum(Query, Tile), unit>();
      });
      each_tile([out]<int Tile>() __attribute__((always_inline)) {
        vfpu::store<sum(Query, Tile), Tile * x_tile_bytes>(out);
      });
    } else {
      keep_parts<Query, Which>(out, queries[Query].high + from);
    }
  });
}

/// All components over the slots of tiles [first, first + count).
template <int Queries, Run Which>
void mix_run(const Int8Tiles& tiles, const Int8TileQuery* queries, std::uint32_t first,
             std::uint32_t count) noexcept {
  const std::size_t stride = std::size_t{tiles.head_dim} * int8_tile;
  Pointers<Queries> weights;
  unrolled<Queries>([&]<int Query>() __attribute__((always_inline)) {
    weights[Query] = queries[Query].weights + std::size_t{first} * int8_tile;
  });
  const std::byte* values = tiles.values + first * stride;
  for (std::uint32_t from = 0; from < tiles.head_dim; from += int8_block) {
    sum_block<Queries>(values, stride, count, weights);
    keep_block<Queries, Which>(queries, from);
    values += std::size_t{int8_block} * int8_tile;
  }
}

/// out = (high * split_base + out) * unit. Both parts are exact: the one rounding of their sum is that of the
/// whole integer.
void join_parts(const Int8TileQuery& query, std::uint32_t head_dim) noexcept {
  vfpu::set<base, split_base>();
  vfpu::load<unit>(&query.unit);
  for (std::uint32_t i = 0; i < head_dim; i += int8_block) {
    each_tile([at = query.high + i]<int Tile>()
                  __attribute__((always_inline)) { vfpu::load<high_part(Tile), Tile * x_tile_bytes>(at); });
    each_tile([at = query.values + i]<int Tile>()
                  __attribute__((always_inline)) { vfpu::load<low_part(Tile), Tile * x_tile_bytes>(at); });
    each_tile([]<int Tile>()
                  __attribute__((always_inline)) { vfpu::scale<high_part(Tile), high_part(Tile), base>(); });
    each_tile([]<int Tile>() __attribute__((always_inline)) {
      vfpu::add<high_part(Tile), high_part(Tile), low_part(Tile)>();
    });
    each_tile([]<int Tile>()
                  __attribute__((always_inline)) { vfpu::scale<high_part(Tile), high_part(Tile), unit>(); });
    each_tile([at = query.values + i]<int Tile>()
                  __attribute__((always_inline)) { vfpu::store<high_part(Tile), Tile * x_tile_bytes>(at); });
  }
}

/// How many tiles from `first` on have weights whose sum times 127 is exact.
std::uint32_t exact_run(const float* weights, std::uint32_t first, std::uint32_t tiles) noexcept {
  float sum_of_weights = 0.0F;
  for (std::uint32_t tile = first; tile < tiles; ++tile) {
    const float* const four = weights + std::size_t{tile} * int8_tile;
    sum_of_weights += (four[0] + four[1]) + (four[2] + four[3]);
    if (sum_of_weights > static_cast<float>(largest_exact_weights)) return tile - first;
  }
  return tiles - first;
}

bool all_in_one_run(const Int8TileQuery* queries, int n_queries) noexcept {
  for (int i = 0; i < n_queries; ++i) {
    if (queries[i].weight_sum > static_cast<float>(largest_exact_weights)) return false;
  }
  return true;
}

template <int Queries>
void mix_for(const Int8Tiles& tiles, const Int8TileQuery* queries) noexcept {
  if (all_in_one_run(queries, Queries)) return mix_run<Queries, Run::only>(tiles, queries, 0, tiles.tiles);
  std::uint32_t count = 0;
  for (std::uint32_t first = 0; first < tiles.tiles; first += count) {
    count = tiles.tiles - first;
    for (int i = 0; i < Queries; ++i) {
      count = std::min(count, exact_run(queries[i].weights, first, first + count));
    }
    if (first == 0) {
      mix_run<Queries, Run::first>(tiles, queries, first, count);
    } else {
      mix_run<Queries, Run::later>(tiles, queries, first, count);
    }
  }
  for (int i = 0; i < Queries; ++i) join_parts(queries[i], tiles.head_dim);
}

}  // namespace

void mix_int8_tiles(const Int8Tiles& tiles, Int8TileQuery* queries, int n_queries) noexcept {
  switch (n_queries) {
    case 1:
      return mix_for<1>(tiles, queries);
    case 2:
      return mix_for<2>(tiles, queries);
    case 3:
      return mix_for<3>(tiles, queries);
    default:
      return mix_for<4>(tiles, queries);
  }
}

}  // namespace pspllm::psp
