// Softmax attention with four positions in the VFPU's lanes: every score is summed over head_dim in the
// reference's order, every output over positions in the reference's order.
#include <utility>

#include "engine/ops/attention_heads.hpp"
#include "engine/ops/psp/vfpu.hpp"
#include "engine/ops/psp/vfpu_kernels.hpp"
#include "engine/ops/reference/reference.hpp"

namespace pspllm::psp {
namespace {

using vfpu::column;
using vfpu::lane;
using vfpu::Quad;

constexpr std::uint32_t tile = 4;

/// Floats from one tile of positions to the next.
constexpr std::size_t tile_stride(std::uint32_t head_dim) noexcept {
  return std::size_t{head_dim} * tile;
}

constexpr Quad query_quad = column(0, 0);
constexpr Quad root_quad = column(0, 1);
constexpr Quad key_quad(std::uint32_t index) noexcept {
  return column(1, index);
}
constexpr Quad score_quad(std::uint32_t index) noexcept {
  return column(2, index);
}

template <std::uint32_t Index>
[[gnu::always_inline]] inline void score_step(const float* keys, std::size_t stride) noexcept {
  vfpu::load<key_quad(0), static_cast<int>(Index * tile * sizeof(float))>(keys);
  vfpu::load<key_quad(1), static_cast<int>(Index * tile * sizeof(float))>(keys + stride);
  vfpu::load<key_quad(2), static_cast<int>(Index * tile * sizeof(float))>(keys + 2 * stride);
  vfpu::load<key_quad(3), static_cast<int>(Index * tile * sizeof(float))>(keys + 3 * stride);
  vfpu::scale<key_quad(0), key_quad(0), lane(query_quad, Index)>();
  vfpu::scale<key_quad(1), key_quad(1), lane(query_quad, Index)>();
  vfpu::scale<key_quad(2), key_quad(2), lane(query_quad, Index)>();
  vfpu::scale<key_quad(3), key_quad(3), lane(query_quad, Index)>();
  vfpu::add<score_quad(0), score_quad(0), key_quad(0)>();
  vfpu::add<score_quad(1), score_quad(1), key_quad(1)>();
  vfpu::add<score_quad(2), score_quad(2), key_quad(2)>();
  vfpu::add<score_quad(3), score_quad(3), key_quad(3)>();
}

template <std::uint32_t Index>
[[gnu::always_inline]] inline void finish_score(float* scores) noexcept {
  vfpu::divide<score_quad(Index), score_quad(Index), root_quad>();
  vfpu::store<score_quad(Index), static_cast<int>(Index * tile * sizeof(float))>(scores);
}

/// Scores of 16 positions. `stride` 0 repeats the one tile that is left, so that nothing behind it is read.
void score_tiles(const float* query, const float* keys, std::size_t stride, std::uint32_t head_dim,
                 float* scores) noexcept {
  vfpu::zero<score_quad(0)>();
  vfpu::zero<score_quad(1)>();
  vfpu::zero<score_quad(2)>();
  vfpu::zero<score_quad(3)>();
  for (std::uint32_t i = 0; i < head_dim; i += tile) {
    vfpu::load<query_quad>(query + i);
    score_step<0>(keys, stride);
    score_step<1>(keys, stride);
    score_step<2>(keys, stride);
    score_step<3>(keys, stride);
    keys += std::size_t{tile} * tile;
  }
  finish_score<0>(scores);
  if (stride == 0) return;
  finish_score<1>(scores);
  finish_score<2>(scores);
  finish_score<3>(scores);
}

constexpr std::size_t floats_a_line = 16;

/// Brings what the next four streams will read into the data cache, in order: a line fill in sequence takes
/// 56 cycles, one elsewhere 70.
void read_ahead(const float* from, std::size_t count) noexcept {
  for (const float* const end = from + count; from < end; from += floats_a_line) {
    static_cast<void>(*static_cast<const volatile float*>(from));
  }
}

void load_root(std::uint32_t head_dim) noexcept {
  const float root = __builtin_sqrtf(static_cast<float>(static_cast<std::int32_t>(head_dim)));
  vfpu::load<lane(root_quad, 0)>(&root);
  vfpu::load<lane(root_quad, 1)>(&root);
  vfpu::load<lane(root_quad, 2)>(&root);
  vfpu::load<lane(root_quad, 3)>(&root);
}

void compute_scores(const float* query, const float* keys, std::uint32_t n_positions, std::uint32_t head_dim,
                    float* scores) noexcept {
  constexpr std::uint32_t tiles_at_once = 4;
  const std::size_t stride = tile_stride(head_dim);
  std::uint32_t tiles = (n_positions + tile - 1) / tile;
  load_root(head_dim);
  for (; tiles >= tiles_at_once; tiles -= tiles_at_once) {
    read_ahead(keys, tiles_at_once * stride);
    score_tiles(query, keys, stride, head_dim, scores);
    keys += tiles_at_once * stride;
    scores += tiles_at_once * tile;
  }
  for (; tiles > 0; --tiles) {
    score_tiles(query, keys, 0, head_dim, scores);
    keys += stride;
    scores += tile;
  }
}

constexpr Quad value_quad(std::uint32_t index) noexcept {
  return column(index / 4, index % 4);
}
constexpr Quad out_quad(std::uint32_t index) noexcept {
  return column(4 + index / 4, index % 4);
}
constexpr vfpu::Single weight = lane(column(7, 0), 0);
constexpr std::uint32_t most_quads = 12;

/// 4 * (Index count) of a head's outputs: out += score * value over positions in order. Values of a position
/// lie together, so that one pointer streams them.
template <std::uint32_t... Index>
[[gnu::always_inline]] inline void mix_quads(std::integer_sequence<std::uint32_t, Index...> /*indices*/,
                                             const float* scores, const float* values,
                                             std::uint32_t n_positions, std::uint32_t head_dim,
                                             float* out) noexcept {
  (vfpu::zero<out_quad(Index)>(), ...);
  for (; n_positions > 0; --n_positions) {
    vfpu::load<weight>(scores);
    (vfpu::load<value_quad(Index), static_cast<int>(Index * 16)>(values), ...);
    (vfpu::scale<value_quad(Index), value_quad(Index), weight>(), ...);
    (vfpu::add<out_quad(Index), out_quad(Index), value_quad(Index)>(), ...);
    ++scores;
    values += head_dim;
  }
  (vfpu::store<out_quad(Index), static_cast<int>(Index * 16)>(out), ...);
}

template <std::uint32_t Quads>
void mix_values(const float* scores, const float* values, std::uint32_t n_positions, std::uint32_t head_dim,
                float* out) noexcept {
  mix_quads(std::make_integer_sequence<std::uint32_t, Quads>{}, scores, values, n_positions, head_dim, out);
}

/// The reference's loops on this set's key layout, for head widths that are no multiple of four.
void attend_scalar(const float* query, const float* keys, const float* values, std::uint32_t n_positions,
                   std::uint32_t head_dim, float* scores, float* out) noexcept {
  const float root = __builtin_sqrtf(static_cast<float>(static_cast<std::int32_t>(head_dim)));
  for (std::uint32_t position = 0; position < n_positions; ++position) {
    const float* key = keys + position / tile * tile_stride(head_dim) + position % tile;
    float score = 0.0F;
    for (std::uint32_t i = 0; i < head_dim; ++i) score += query[i] * key[std::size_t{i} * tile];
    scores[position] = score / root;
  }
  softmax_vfpu(scores, n_positions);
  for (std::uint32_t i = 0; i < head_dim; ++i) out[i] = 0.0F;
  for (std::uint32_t position = 0; position < n_positions; ++position) {
    for (std::uint32_t i = 0; i < head_dim; ++i) out[i] += scores[position] * values[i];
    values += head_dim;
  }
}

void attend(const AttendingHead& at) noexcept {
  const auto [query, keys, values, n_positions, head_dim, scores, out] = at;
  if (head_dim % tile != 0) return attend_scalar(query, keys, values, n_positions, head_dim, scores, out);
  compute_scores(query, keys, n_positions, head_dim, scores);
  softmax_vfpu(scores, n_positions);
  std::uint32_t done = 0;
  for (; done + most_quads * 4 <= head_dim; done += most_quads * 4) {
    mix_values<most_quads>(scores, values + done, n_positions, head_dim, out + done);
  }
  for (; done + 16 <= head_dim; done += 16) {
    mix_values<4>(scores, values + done, n_positions, head_dim, out + done);
  }
  for (; done < head_dim; done += 4) {
    mix_values<1>(scores, values + done, n_positions, head_dim, out + done);
  }
}

}  // namespace

void store_key_value_tile4(const LayerCache& cache, std::uint32_t position, const float* key,
                           const float* value, std::uint32_t n_kv_heads, std::uint32_t head_dim) noexcept {
  for (std::uint32_t head = 0; head < n_kv_heads; ++head) {
    const std::size_t head_offset = std::size_t{head} * cache.capacity * head_dim;
    float* const keys = cache.keys + head_offset + position / tile * tile_stride(head_dim) + position % tile;
    float* const values = cache.values + head_offset + std::size_t{position} * head_dim;
    for (std::uint32_t i = 0; i < head_dim; ++i) {
      keys[std::size_t{i} * tile] = key[i];
      values[i] = value[i];
    }
    key += head_dim;
    value += head_dim;
  }
}

void attention_tile4_vfpu(const AttentionJob& job, Range heads) noexcept {
  for_each_attending_head(job, heads, attend);
}

}  // namespace pspllm::psp
