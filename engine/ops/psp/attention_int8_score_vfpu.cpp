// Scores of four slots at a time: 4 x 4 keys are unpacked once for all queries, 9 + 6 cycles a query for 16
// products.
#include <array>

#include "engine/ops/psp/attention_int8_vfpu.hpp"
#include "engine/ops/psp/matmul_q80_tiles.hpp"

namespace pspllm::psp {
namespace {

using vfpu::column;
using vfpu::lane;
using vfpu::Quad;

// Matrix 0 holds a tile of keys.
constexpr Quad raw(int step) noexcept {
  return column(1, static_cast<std::uint32_t>(step));
}
constexpr Quad query_quad(int query) noexcept {
  return column(2, static_cast<std::uint32_t>(query));
}
constexpr Quad result(int query) noexcept {
  return column(3, static_cast<std::uint32_t>(query));
}
constexpr Quad sum(int query) noexcept {
  return column(4, static_cast<std::uint32_t>(query));
}
constexpr Quad query_scales = column(5, 0);
constexpr Quad key_scales = column(5, 1);
constexpr Quad root_quad = column(5, 2);

constexpr std::size_t line_bytes = std::size_t{int8_block} * int8_tile;

template <int Queries>
using Pointers = std::array<const float*, std::size_t{Queries}>;

template <int Queries>
[[gnu::always_inline]] inline void add_results() noexcept {
  unrolled<Queries>(
      []<int Query>() __attribute__((always_inline)) { vfpu::add<sum(Query), sum(Query), result(Query)>(); });
}

/// 4 slots x 16 components, a line of keys, which has been loaded; loads the line at `next` instead. Loads
/// and additions stand where something would wait for a result.
template <int Queries>
[[gnu::always_inline]] inline void score_block(const std::byte* next,
                                               const Pointers<Queries>& queries) noexcept {
  unrolled<4>([&]<int Step>() __attribute__((always_inline)) {
    unrolled<Queries>([&]<int Query>() __attribute__((always_inline)) {
      vfpu::load<query_quad(Query), Step * x_tile_bytes>(queries[Query]);
    });
    unpack_tile<0, raw(Step)>();
    tile_to_float<0>();
    add_results<Queries>();
    unrolled<Queries>([]<int Query>() __attribute__((always_inline)) {
      vfpu::transform<result(Query), 0, query_quad(Query)>();
    });
    vfpu::load<raw(Step), Step * x_tile_bytes>(next);
  });
}

/// A power of two is divided by exactly as well by multiplying with its inverse.
bool has_exact_inverse(float root) noexcept {
  return root == 2.0F || root == 4.0F || root == 8.0F || root == 16.0F || root == 32.0F;
}

template <int Queries>
void score_for(const Int8Tiles& tiles, Int8TileQuery* queries) noexcept {
  Pointers<Queries> values;
  std::array<float*, std::size_t{Queries}> scores;
  unrolled<Queries>([&]<int Query>() __attribute__((always_inline)) {
    values[Query] = queries[Query].values;
    scores[Query] = queries[Query].weights;
    vfpu::load<lane(query_scales, Query)>(&queries[Query].scale);
  });
  const float root = __builtin_sqrtf(static_cast<float>(static_cast<std::int32_t>(tiles.head_dim)));
  const bool inverted = has_exact_inverse(root);
  const float factor = inverted ? 1.0F / root : root;
  unrolled<4>([&]<int Lane>() __attribute__((always_inline)) { vfpu::load<lane(root_quad, Lane)>(&factor); });

  const std::byte* keys = tiles.keys;
  const std::byte* const last_line =
      keys + std::size_t{tiles.tiles * int8_tile} * tiles.head_dim - line_bytes;
  unrolled<4>([keys]<int Step>()
                  __attribute__((always_inline)) { vfpu::load<raw(Step), Step * x_tile_bytes>(keys); });
  const float* scales = tiles.key_scales;
  for (std::uint32_t tile = tiles.tiles; tile > 0; --tile) {
    unrolled<Queries>([]<int Query>() __attribute__((always_inline)) {
      vfpu::zero<sum(Query)>();
      vfpu::zero<result(Query)>();
    });
    Pointers<Queries> at = values;
    for (std::uint32_t i = 0; i < tiles.head_dim; i += int8_block) {
      // The last line is loaded once more, so that nothing behind it is.
      keys += keys == last_line ? 0 : line_bytes;
      score_block<Queries>(keys, at);
      unrolled<Queries>([&at]<int Query>() __attribute__((always_inline)) { at[Query] += int8_block; });
    }
    vfpu::load<key_scales>(scales);
    scales += int8_tile;
    add_results<Queries>();
    unrolled<Queries>([]<int Query>() __attribute__((always_inline)) {
      vfpu::scale<sum(Query), sum(Query), lane(query_scales, Query)>();
    });
    unrolled<Queries>([]<int Query>() __attribute__((always_inline)) {
      vfpu::multiply<sum(Query), sum(Query), key_scales>();
    });
    if (inverted) {
      unrolled<Queries>([]<int Query>() __attribute__((always_inline)) {
        vfpu::multiply<sum(Query), sum(Query), root_quad>();
      });
    } else {
      unrolled<Queries>([]<int Query>() __attribute__((always_inline)) {
        vfpu::divide<sum(Query), sum(Query), root_quad>();
      });
    }
    unrolled<Queries>([&scores]<int Query>() __attribute__((always_inline)) {
      vfpu::store<sum(Query)>(scores[Query]);
      scores[Query] += int8_tile;
    });
  }
}

}  // namespace

void score_int8_tiles(const Int8Tiles& tiles, Int8TileQuery* queries, int n_queries) noexcept {
  switch (n_queries) {
    case 1:
      return score_for<1>(tiles, queries);
    case 2:
      return score_for<2>(tiles, queries);
    case 3:
      return score_for<3>(tiles, queries);
    default:
      return score_for<4>(tiles, queries);
  }
}

}  // namespace pspllm::psp
