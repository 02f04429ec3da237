// Attention in exact integers on the VFPU: quantisation, softmax and whole weights of each query; scores and
// mixing take up to four queries at once (attention_int8_vfpu.hpp).
#include "engine/ops/psp/attention_int8_vfpu.hpp"

#include <algorithm>
#include <bit>

#include "engine/ops/psp/largest_magnitude.hpp"
#include "engine/ops/psp/matmul_q80_tiles.hpp"
#include "engine/ops/psp/vfpu.hpp"
#include "engine/ops/psp/vfpu_kernels.hpp"
#include "engine/ops/reference/attention_int8.hpp"

namespace pspllm::psp {
namespace {

using vfpu::column;
using vfpu::lane;
using vfpu::Quad;

/// Widest head whose key is quantised on the stack.
constexpr std::uint32_t widest_head = 256;

std::uint32_t byte_of(float whole) noexcept {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(whole)) & 0xffU;
}

/// Four components of a key are one word of its tile.
void scatter_key(const float* whole, std::uint32_t head_dim, std::byte* to) noexcept {
  for (std::uint32_t i = 0; i < head_dim; i += 4, whole += 4, to += 16) {
    const std::uint32_t word =
        byte_of(whole[0]) | byte_of(whole[1]) << 8 | byte_of(whole[2]) << 16 | byte_of(whole[3]) << 24;
    __builtin_memcpy(to, &word, sizeof word);
  }
}

void scatter_value(const float* whole, std::uint32_t head_dim, std::byte* to) noexcept {
  for (std::uint32_t i = 0; i < head_dim; ++i, to += 4) *to = static_cast<std::byte>(byte_of(whole[i]));
}

/// What the reference keeps without a gap: the scores of [own_end, older.begin) are dropped, and come back as
/// zeros.
void close_gap(float* scores, std::uint32_t own_end, Range older) noexcept {
  for (std::uint32_t slot = older.begin; slot < older.end; ++slot) scores[own_end++] = scores[slot];
}
void open_gap(float* weights, std::uint32_t own_end, Range older) noexcept {
  std::uint32_t from = own_end + older.end - older.begin;
  for (std::uint32_t slot = older.end; slot > older.begin;) weights[--slot] = weights[--from];
  for (std::uint32_t slot = own_end; slot < older.begin; ++slot) weights[slot] = 0.0F;
}

constexpr Quad weight_quad(int index) noexcept {
  return column(1, static_cast<std::uint32_t>(index));
}
constexpr Quad scale_quad(int index) noexcept {
  return column(2, static_cast<std::uint32_t>(index));
}
constexpr Quad whole_quad(int index) noexcept {
  return column(3, static_cast<std::uint32_t>(index));
}
constexpr Quad largest_quad = column(0, 0);
constexpr Quad divisor_quad = column(0, 1);
constexpr Quad sum_quad = column(0, 2);
constexpr vfpu::Single limit_register = lane(column(0, 3), 0);

/// Calls body<Quads>(i) for [0, n): four quads at a time, side by side so that none waits for its own result,
/// then single ones. n: a multiple of 4.
template <typename Body>
[[gnu::always_inline]] inline void for_quads(std::uint32_t n, Body body) noexcept {
  std::uint32_t i = 0;
  for (; i + 16 <= n; i += 16) body.template operator()<4>(i);
  for (; i < n; i += 4) body.template operator()<1>(i);
}

template <int Quads>
[[gnu::always_inline]] inline void scale_quads(float* weights, const float* scales) noexcept {
  unrolled<Quads>([weights]<int I>()
                      __attribute__((always_inline)) { vfpu::load<weight_quad(I), I * 16>(weights); });
  unrolled<Quads>([scales]<int I>()
                      __attribute__((always_inline)) { vfpu::load<scale_quad(I), I * 16>(scales); });
  unrolled<Quads>([]<int I>() __attribute__((always_inline)) {
    vfpu::multiply<weight_quad(I), weight_quad(I), scale_quad(I)>();
  });
  unrolled<Quads>([weights]<int I>() __attribute__((always_inline)) {
    vfpu::store<weight_quad(I), I * 16>(weights);
    vfpu::maximum<largest_quad, largest_quad, weight_quad(I)>();
  });
}

/// weights[i] *= scales[i]; gives the largest, or 0 where that is no normal number.
float scale_weights(float* weights, const float* scales, std::uint32_t n) noexcept {
  const std::uint32_t whole_quads = n / 4 * 4;
  vfpu::zero<largest_quad>();
  for_quads(
      whole_quads, [=]<int Quads>(std::uint32_t i)
                       __attribute__((always_inline)) { scale_quads<Quads>(weights + i, scales + i); });
  spread_maximum<largest_quad>();
  float result = std::bit_cast<float>(vfpu::bits_of<lane(largest_quad, 0)>());
  for (std::uint32_t i = whole_quads; i < n; ++i) {
    weights[i] *= scales[i];
    if (weights[i] > result) result = weights[i];
  }
  return reference::is_normal(result) ? result : 0.0F;
}

template <int Quads>
[[gnu::always_inline]] inline void round_quads(float* weights) noexcept {
  unrolled<Quads>([weights]<int I>()
                      __attribute__((always_inline)) { vfpu::load<weight_quad(I), I * 16>(weights); });
  unrolled<Quads>([]<int I>() __attribute__((always_inline)) {
    vfpu::divide<weight_quad(I), weight_quad(I), divisor_quad>();
  });
  unrolled<Quads>([]<int I>() __attribute__((always_inline)) {
    vfpu::scale<weight_quad(I), weight_quad(I), limit_register>();
  });
  unrolled<Quads>(
      []<int I>() __attribute__((always_inline)) { vfpu::to_integer<whole_quad(I), weight_quad(I), 0>(); });
  unrolled<Quads>([]<int I>()
                      __attribute__((always_inline)) { vfpu::to_float<whole_quad(I), whole_quad(I), 0>(); });
  unrolled<Quads>([]<int I>() __attribute__((always_inline)) {
    vfpu::subtract<weight_quad(I), weight_quad(I), whole_quad(I)>();
  });
  // The whole part of twice the rest, which is exact: 1 from one half on.
  unrolled<Quads>(
      []<int I>() __attribute__((always_inline)) { vfpu::to_integer<weight_quad(I), weight_quad(I), 1>(); });
  unrolled<Quads>(
      []<int I>() __attribute__((always_inline)) { vfpu::to_float<weight_quad(I), weight_quad(I), 0>(); });
  unrolled<Quads>([]<int I>() __attribute__((always_inline)) {
    vfpu::add<whole_quad(I), whole_quad(I), weight_quad(I)>();
  });
  unrolled<Quads>([weights]<int I>() __attribute__((always_inline)) {
    vfpu::store<whole_quad(I), I * 16>(weights);
    vfpu::add<sum_quad, sum_quad, whole_quad(I)>();
  });
}

/// weights = weight / largest * limit, rounded half away from zero; gives their sum, exact below 2^24. n: a
/// multiple of 4.
float round_weights(float* weights, std::uint32_t n, const float* largest, const float* limit) noexcept {
  unrolled<4>([largest]<int Lane>()
                  __attribute__((always_inline)) { vfpu::load<lane(divisor_quad, Lane)>(largest); });
  vfpu::load<limit_register>(limit);
  vfpu::zero<sum_quad>();
  for_quads(
      n, [=]<int Quads>(std::uint32_t i) __attribute__((always_inline)) { round_quads<Quads>(weights + i); });
  alignas(16) float sums[4];
  vfpu::store<sum_quad>(sums);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// One query's scores to whole weights of all slots of the tiles, 0 for those out of sight.
void weigh_slots(const Int8Tiles& tiles, Int8TileQuery& query, std::uint32_t own_end, Range older,
                 float limit) noexcept {
  const std::uint32_t n = std::max(own_end, older.end);
  const std::uint32_t padded = tiles.tiles * int8_tile;
  if (older.end != 0) close_gap(query.weights, own_end, older);
  softmax_vfpu(query.weights, own_end + older.end - older.begin);
  if (older.end != 0) open_gap(query.weights, own_end, older);
  const float largest = scale_weights(query.weights, tiles.value_scales, n);
  query.unit = largest / limit;
  const std::uint32_t kept = largest == 0.0F ? 0 : n;
  for (std::uint32_t i = kept; i < padded; ++i) query.weights[i] = 0.0F;
  query.weight_sum = kept == 0 ? 0.0F : round_weights(query.weights, padded, &largest, &limit);
}

/// Queries of tokens and of the heads [heads.begin, heads.end), which share one key/value head: as many at a
/// time as there are rows of scores for.
void attend_group(const Int8AttentionJob& job, Int8Tiles tiles, Range older, Range heads, float* rows,
                  std::uint32_t score_rows) noexcept {
  const auto limit = static_cast<float>(static_cast<std::int32_t>(job.largest_weight));
  const std::uint32_t n_heads = heads.end - heads.begin;
  const std::uint32_t count = n_heads * job.n_tokens;
  const std::uint32_t at_once = std::min<std::uint32_t>(most_queries, score_rows);
  for (std::uint32_t done = 0; done < count; done += at_once) {
    const std::uint32_t n = std::min(at_once, count - done);
    Int8TileQuery queries[most_queries];
    std::uint32_t own_ends[most_queries];
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t token = (done + i) / n_heads;
      const std::uint32_t head = heads.begin + (done + i) % n_heads;
      const std::size_t offset = (std::size_t{token} * job.n_heads + head) * job.head_dim;
      queries[i].values = job.out + offset;
      queries[i].scale = quantize_vector_vfpu(job.query + offset, job.head_dim, queries[i].values);
      queries[i].high = job.query + offset;
      queries[i].weights = rows + std::size_t{i} * job.cache.capacity;
      own_ends[i] = job.first_slot + token + 1;
      tiles.tiles = (std::max(own_ends[i], older.end) + int8_tile - 1) / int8_tile;
    }
    score_int8_tiles(tiles, queries, static_cast<int>(n));
    for (std::uint32_t i = 0; i < n; ++i) weigh_slots(tiles, queries[i], own_ends[i], older, limit);
    mix_int8_tiles(tiles, queries, static_cast<int>(n));
  }
}

}  // namespace

void store_key_value_int8_vfpu(const Int8LayerCache& cache, std::uint32_t slot, float* key, float* value,
                               std::uint32_t n_kv_heads, std::uint32_t head_dim) noexcept {
  if (head_dim % 4 != 0 || head_dim > widest_head) {
    return reference::store_key_value_int8<int8_tile_layout>(cache, slot, key, value, n_kv_heads, head_dim);
  }
  alignas(16) float whole[widest_head];
  for (std::uint32_t head = 0; head < n_kv_heads; ++head) {
    const std::size_t first = std::size_t{head} * cache.capacity;
    cache.key_scales[first + slot] = quantize_vector_vfpu(key, head_dim, whole);
    scatter_key(whole, head_dim,
                cache.keys + first * head_dim + int8_tile_layout.key_offset(slot, 0, head_dim));
    cache.value_scales[first + slot] = quantize_vector_vfpu(value, head_dim, whole);
    scatter_value(whole, head_dim,
                  cache.values + first * head_dim + int8_tile_layout.value_offset(slot, 0, head_dim));
    key += head_dim;
    value += head_dim;
  }
}

void attention_int8_vfpu(const Int8AttentionJob& job, Range heads) noexcept {
  const std::uint32_t score_rows = heads.end - heads.begin;
  if (job.head_dim % int8_block != 0 || job.head_dim > widest_exact_head) {
    return reference::attention_int8<int8_tile_layout>(job, heads);
  }
  const Range older = job.older.begin < job.older.end ? job.older : Range{};
  const std::uint32_t group = job.n_heads / job.n_kv_heads;
  float* const rows = job.scores + std::size_t{heads.begin} * job.cache.capacity;
  for (std::uint32_t head = heads.begin; head < heads.end;) {
    const std::uint32_t kv_head = head / group;
    const std::size_t first = std::size_t{kv_head} * job.cache.capacity;
    Int8Tiles tiles;
    tiles.keys = job.cache.keys + first * job.head_dim;
    tiles.values = job.cache.values + first * job.head_dim;
    tiles.key_scales = job.cache.key_scales + first;
    tiles.value_scales = job.cache.value_scales + first;
    tiles.head_dim = job.head_dim;
    const std::uint32_t group_end = std::min((kv_head + 1) * group, heads.end);
    attend_group(job, tiles, older, {head, group_end}, rows, score_rows);
    head = group_end;
  }
}

}  // namespace pspllm::psp
