// Softmax attention with four positions in the VFPU's lanes: every score is summed over head_dim in the
// reference's order, every output over positions in the reference's order.
#include <algorithm>
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

/// What the tokens of one head attend with. They take turns over what the data cache holds of the keys and
/// the values, so that memory is read once for all of them.
struct AttendingTokens {
  const AttendingHead& first;
  std::uint32_t count;
  std::size_t token_floats;  ///< from one token's query, or output, to the next one's
  std::size_t score_floats;  ///< from one token's scores to the next one's

  [[nodiscard]] const float* query(std::uint32_t token) const noexcept {
    return first.query + token * token_floats;
  }
  [[nodiscard]] float* scores(std::uint32_t token) const noexcept {
    return first.scores + token * score_floats;
  }
  [[nodiscard]] float* out(std::uint32_t token) const noexcept { return first.out + token * token_floats; }
  [[nodiscard]] std::uint32_t n_positions(std::uint32_t token) const noexcept {
    return first.n_positions + token;
  }
};

/// Scores of all tiles that the last token sees, for every token: what a token does not see is never read.
void compute_scores(const AttendingTokens& tokens) noexcept {
  constexpr std::uint32_t tiles_at_once = 4;
  const std::uint32_t head_dim = tokens.first.head_dim;
  const std::size_t stride = tile_stride(head_dim);
  const std::uint32_t tiles = (tokens.n_positions(tokens.count - 1) + tile - 1) / tile;
  const float* keys = tokens.first.keys;
  load_root(head_dim);
  for (std::uint32_t done = 0; done < tiles;) {
    const bool is_whole = tiles - done >= tiles_at_once;
    if (is_whole) read_ahead(keys, tiles_at_once * stride);
    for (std::uint32_t token = 0; token < tokens.count; ++token) {
      score_tiles(tokens.query(token), keys, is_whole ? stride : 0, head_dim,
                  tokens.scores(token) + std::size_t{done} * tile);
    }
    const std::uint32_t count = is_whole ? tiles_at_once : 1;
    keys += count * stride;
    done += count;
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

/// Some positions of a head's values, and where they stand.
struct ValueBlock {
  const float* values;
  std::uint32_t n_positions;
  std::uint32_t head_dim;
  bool is_first;  ///< sums begin at 0, later they wait in `out`
};

/// 4 * (Index count) of a head's outputs: out += score * value over positions in order. Values of a position
/// lie together, so that one pointer streams them.
template <std::uint32_t... Index>
[[gnu::always_inline]] inline void mix_quads(std::integer_sequence<std::uint32_t, Index...> /*indices*/,
                                             const ValueBlock& block, const float* scores,
                                             float* out) noexcept {
  if (block.is_first) {
    (vfpu::zero<out_quad(Index)>(), ...);
  } else {
    (vfpu::load<out_quad(Index), static_cast<int>(Index * 16)>(out), ...);
  }
  const float* values = block.values;
  for (std::uint32_t left = block.n_positions; left > 0; --left) {
    vfpu::load<weight>(scores);
    (vfpu::load<value_quad(Index), static_cast<int>(Index * 16)>(values), ...);
    (vfpu::scale<value_quad(Index), value_quad(Index), weight>(), ...);
    (vfpu::add<out_quad(Index), out_quad(Index), value_quad(Index)>(), ...);
    ++scores;
    values += block.head_dim;
  }
  (vfpu::store<out_quad(Index), static_cast<int>(Index * 16)>(out), ...);
}

template <std::uint32_t Quads>
void mix_values(ValueBlock block, std::uint32_t from, const float* scores, float* out) noexcept {
  block.values += from;
  mix_quads(std::make_integer_sequence<std::uint32_t, Quads>{}, block, scores, out + from);
}

/// All components of a head.
void mix_block(const ValueBlock& block, const float* scores, float* out) noexcept {
  std::uint32_t done = 0;
  for (; done + most_quads * 4 <= block.head_dim; done += most_quads * 4) {
    mix_values<most_quads>(block, done, scores, out);
  }
  for (; done + 16 <= block.head_dim; done += 16) mix_values<4>(block, done, scores, out);
  for (; done < block.head_dim; done += 4) mix_values<1>(block, done, scores, out);
}

void mix_tokens(const AttendingTokens& tokens) noexcept {
  // Half of a way of the data cache: the tokens' scores and outputs want room too.
  constexpr std::uint32_t floats_at_once = 1024;
  const std::uint32_t head_dim = tokens.first.head_dim;
  const std::uint32_t last = tokens.n_positions(tokens.count - 1);
  // One token reads everything once as it is.
  const std::uint32_t most = tokens.count == 1 ? last : std::max(floats_at_once / head_dim, tile);
  for (std::uint32_t done = 0; done < last; done += most) {
    const float* const values = tokens.first.values + std::size_t{done} * head_dim;
    for (std::uint32_t token = 0; token < tokens.count; ++token) {
      const std::uint32_t end = std::min(done + most, tokens.n_positions(token));
      if (end <= done) continue;
      mix_block({values, end - done, head_dim, done == 0}, tokens.scores(token) + done, tokens.out(token));
    }
  }
}

/// The reference's loops on this set's key layout, for head widths that are no multiple of four.
void attend_scalar(const AttendingHead& at) noexcept {
  const auto [query, keys, first_value, n_positions, head_dim, scores, out] = at;
  const float* values = first_value;
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

void attend(const AttendingTokens& tokens) noexcept {
  compute_scores(tokens);
  for (std::uint32_t token = 0; token < tokens.count; ++token) {
    softmax_vfpu(tokens.scores(token), tokens.n_positions(token));
  }
  mix_tokens(tokens);
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
  if (job.head_dim % tile != 0) return for_each_attending_head(job, heads, attend_scalar);
  // The rows of scores of all these heads are ours: one for each token that goes along.
  const std::uint32_t at_once = heads.end - heads.begin;
  float* const scores = job.scores + std::size_t{heads.begin} * job.cache.capacity;
  for_each_attending_head(job, heads, [&](AttendingHead first) {
    const std::uint32_t token = first.n_positions - job.first_position - 1;
    if (token % at_once != 0) return;
    first.scores = scores;
    attend({first, std::min(at_once, job.n_tokens - token), std::size_t{job.n_heads} * job.head_dim,
            job.cache.capacity});
  });
}

}  // namespace pspllm::psp
