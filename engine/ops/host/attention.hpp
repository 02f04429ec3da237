// Softmax attention. Scores: lanes are positions (keys lie in tiles of `lanes` positions), head_dim in order.
// Weighted values: lanes are components of the head, positions in order.
#pragma once

#include "engine/ops/host/elementwise.hpp"
#include "engine/ops/host/vectors.hpp"
#include "engine/ops/kernels.hpp"

namespace pspllm::host {

template <class Isa>
void store_key_value(const LayerCache& cache, std::uint32_t position, const float* key, const float* value,
                     std::uint32_t n_kv_heads, std::uint32_t head_dim) noexcept {
  const std::size_t head_floats = std::size_t{cache.capacity} * head_dim;
  float* keys =
      cache.keys + std::size_t{position / Isa::lanes} * Isa::lanes * head_dim + position % Isa::lanes;
  float* values = cache.values + std::size_t{position} * head_dim;
  for (std::uint32_t head = 0; head < n_kv_heads; ++head) {
    for (std::uint32_t i = 0; i < head_dim; ++i) keys[std::size_t{i} * Isa::lanes] = key[i];
    __builtin_memcpy(values, value, head_dim * sizeof(float));
    key += head_dim;
    value += head_dim;
    keys += head_floats;
    values += head_floats;
  }
}

/// Scores of n_tiles tiles of positions: independent chains of additions side by side.
template <class Isa, std::uint32_t n_tiles>
[[gnu::always_inline]] inline void score_tiles(const float* query, const float* keys, std::uint32_t head_dim,
                                               float root, float* scores) noexcept {
  using V = Lanes<Isa>;
  Floats<Isa::lanes> sums[n_tiles] = {};
  const std::size_t tile_floats = std::size_t{Isa::lanes} * head_dim;
  for (std::uint32_t i = 0; i < head_dim; ++i, keys += Isa::lanes) {
    const Floats<Isa::lanes> q = V::broadcast(query[i]);
    for (std::uint32_t tile = 0; tile < n_tiles; ++tile) sums[tile] += q * V::load(keys + tile * tile_floats);
  }
  for (std::uint32_t tile = 0; tile < n_tiles; ++tile) {
    V::store(scores + tile * Isa::lanes, sums[tile] / V::broadcast(root));
  }
}

/// scores: [n_positions rounded up to whole tiles]; those past n_positions mean nothing.
template <class Isa>
[[gnu::always_inline]] inline void score(const float* query, const float* keys, std::uint32_t n_positions,
                                         std::uint32_t head_dim, float* scores) noexcept {
  const float root = __builtin_sqrtf(static_cast<float>(static_cast<std::int32_t>(head_dim)));
  const std::size_t tile_floats = std::size_t{Isa::lanes} * head_dim;
  const std::uint32_t n_tiles = (n_positions + Isa::lanes - 1) / Isa::lanes;
  std::uint32_t tile = 0;
  for (; tile + 4 <= n_tiles; tile += 4) {
    score_tiles<Isa, 4>(query, keys + tile * tile_floats, head_dim, root, scores + tile * Isa::lanes);
  }
  for (; tile + 2 <= n_tiles; tile += 2) {
    score_tiles<Isa, 2>(query, keys + tile * tile_floats, head_dim, root, scores + tile * Isa::lanes);
  }
  if (tile < n_tiles) {
    score_tiles<Isa, 1>(query, keys + tile * tile_floats, head_dim, root, scores + tile * Isa::lanes);
  }
}

/// n_vectors * lanes components of a head.
template <class Isa, std::uint32_t lanes, std::uint32_t n_vectors>
[[gnu::always_inline]] inline void weigh(const float* scores, const float* values, std::uint32_t n_positions,
                                         std::uint32_t head_dim, float* out) noexcept {
  using V = Lanes<Isa, lanes>;
  Floats<lanes> sums[n_vectors] = {};
  for (std::uint32_t position = 0; position < n_positions; ++position, values += head_dim) {
    const Floats<lanes> weight = V::broadcast(scores[position]);
    for (std::uint32_t i = 0; i < n_vectors; ++i)
      sums[i] += weight * V::load(values + std::size_t{i} * lanes);
  }
  for (std::uint32_t i = 0; i < n_vectors; ++i) V::store(out + std::size_t{i} * lanes, sums[i]);
}

/// Full vectors first, then ever narrower ones.
template <class Isa, std::uint32_t lanes = Isa::lanes>
[[gnu::always_inline]] inline void weigh_values(const float* scores, const float* values,
                                                std::uint32_t n_positions, std::uint32_t head_dim,
                                                std::uint32_t from, float* out) noexcept {
  if constexpr (lanes == Isa::lanes) {
    for (; from + 4 * lanes <= head_dim; from += 4 * lanes) {
      weigh<Isa, lanes, 4>(scores, values + from, n_positions, head_dim, out + from);
    }
    if (from + 3 * lanes <= head_dim) {
      weigh<Isa, lanes, 3>(scores, values + from, n_positions, head_dim, out + from);
      from += 3 * lanes;
    }
    if (from + 2 * lanes <= head_dim) {
      weigh<Isa, lanes, 2>(scores, values + from, n_positions, head_dim, out + from);
      from += 2 * lanes;
    }
  }
  if (from + lanes <= head_dim) {
    weigh<Isa, lanes, 1>(scores, values + from, n_positions, head_dim, out + from);
    from += lanes;
  }
  if constexpr (lanes > 1) weigh_values<Isa, lanes / 2>(scores, values, n_positions, head_dim, from, out);
}

template <class Isa>
void attention(const AttentionJob& job, Range heads) noexcept {
  const std::size_t token_stride = std::size_t{job.n_heads} * job.head_dim;
  for (std::uint32_t head = heads.begin; head < heads.end; ++head) {
    const std::uint32_t kv_head = head / (job.n_heads / job.n_kv_heads);
    const std::size_t cache_offset = std::size_t{kv_head} * job.cache.capacity * job.head_dim;
    float* const scores = job.scores + std::size_t{head} * job.cache.capacity;
    for (std::uint32_t token = 0; token < job.n_tokens; ++token) {
      const std::size_t offset = token * token_stride + std::size_t{head} * job.head_dim;
      const std::uint32_t n_positions = job.first_position + token + 1;
      score<Isa>(job.query + offset, job.cache.keys + cache_offset, n_positions, job.head_dim, scores);
      softmax<Isa>(scores, n_positions);
      weigh_values<Isa>(scores, job.cache.values + cache_offset, n_positions, job.head_dim, 0,
                        job.out + offset);
    }
  }
}

}  // namespace pspllm::host
