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
// Behind the last tile its place is free.
constexpr vfpu::Single unit = lane(column(0, 0), 0);
constexpr vfpu::Single base = lane(column(0, 0), 1);
constexpr vfpu::Single inverse_base = lane(column(0, 0), 2);
constexpr Quad high_part = column(0, 1);
constexpr Quad low_part = column(0, 2);
constexpr Quad kept_part = column(0, 3);

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

/// One sum, from register to memory.
template <Run Which, Quad Sum, int Tile>
[[gnu::always_inline]] inline void keep_sum(float* out, float* high) noexcept {
  constexpr int offset = Tile * x_tile_bytes;
  if constexpr (Which == Run::only) {
    vfpu::scale<Sum, Sum, unit>();
    vfpu::store<Sum, offset>(out);
    return;
  }
  vfpu::scale<high_part, Sum, inverse_base>();
  vfpu::to_integer<high_part, high_part, 0>();
  vfpu::to_float<high_part, high_part, 0>();
  vfpu::scale<low_part, high_part, base>();
  vfpu::subtract<low_part, Sum, low_part>();
  if constexpr (Which == Run::later) {
    vfpu::load<kept_part, offset>(high);
    vfpu::add<high_part, high_part, kept_part>();
    vfpu::load<kept_part, offset>(out);
    vfpu::add<low_part, low_part, kept_part>();
  }
  vfpu::store<high_part, offset>(high);
  vfpu::store<low_part, offset>(out);
}

template <int Queries, Run Which>
[[gnu::always_inline]] inline void keep_block(const Int8TileQuery* queries, std::uint32_t from) noexcept {
  if constexpr (Which != Run::only) {
    constexpr float inverse = 1.0F / split_base;
    vfpu::set<base, split_base>();
    vfpu::load<inverse_base>(&inverse);
  }
  unrolled<Queries>([&]<int Query>() __attribute__((always_inline)) {
    float* const out = queries[Query].values + from;
    float* const high = queries[Query].high + from;
    if constexpr (Which == Run::only) vfpu::load<unit>(&queries[Query].unit);
    unrolled<tiles_a_block>([=]<int Tile>() __attribute__((always_inline)) {
      keep_sum<Which, sum(Query, Tile), Tile>(out, high);
    });
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
  for (std::uint32_t i = 0; i < head_dim; i += 4) {
    vfpu::load<high_part>(query.high + i);
    vfpu::load<low_part>(query.values + i);
    vfpu::scale<high_part, high_part, base>();
    vfpu::add<high_part, high_part, low_part>();
    vfpu::scale<high_part, high_part, unit>();
    vfpu::store<high_part>(query.values + i);
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

template <int Queries>
void mix_for(const Int8Tiles& tiles, const Int8TileQuery* queries) noexcept {
  std::uint32_t count = 0;
  for (std::uint32_t first = 0; first < tiles.tiles; first += count) {
    count = tiles.tiles - first;
    for (int i = 0; i < Queries; ++i) {
      count = std::min(count, exact_run(queries[i].weights, first, first + count));
    }
    if (count == tiles.tiles) return mix_run<Queries, Run::only>(tiles, queries, first, count);
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
