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

/// Neighbouring tokens of one head, that share what they load of the cache. Token t sees n_positions + t
/// positions.
struct AttendingTokens {
  const float* query = nullptr;  // [n_tokens, query_stride]
  float* scores = nullptr;       // [n_tokens, score_stride]
  float* out = nullptr;          // [n_tokens, query_stride]
  std::size_t query_stride = 0;
  std::size_t score_stride = 0;
  std::uint32_t n_positions = 0;  ///< that the first token sees
  std::uint32_t head_dim = 0;
};

/// Scores of n_tiles tiles of positions: independent chains of additions side by side.
template <class Isa, std::uint32_t n_tokens, std::uint32_t n_tiles>
[[gnu::always_inline]] inline void score_tiles(const AttendingTokens& tokens, const float* keys, float root,
                                               float* scores) noexcept {
  using V = Lanes<Isa>;
  Floats<Isa::lanes> sums[n_tokens][n_tiles] = {};
  const std::size_t tile_floats = std::size_t{Isa::lanes} * tokens.head_dim;
  for (std::uint32_t i = 0; i < tokens.head_dim; ++i, keys += Isa::lanes) {
    for (std::uint32_t tile = 0; tile < n_tiles; ++tile) {
      const Floats<Isa::lanes> key = V::load(keys + tile * tile_floats);
      for (std::uint32_t token = 0; token < n_tokens; ++token) {
        sums[token][tile] += V::broadcast(tokens.query[token * tokens.query_stride + i]) * key;
      }
    }
  }
  for (std::uint32_t token = 0; token < n_tokens; ++token) {
    for (std::uint32_t tile = 0; tile < n_tiles; ++tile) {
      V::store(scores + token * tokens.score_stride + std::size_t{tile} * Isa::lanes,
               sums[token][tile] / V::broadcast(root));
    }
  }
}

/// Fills scores in whole tiles; those past a token's positions mean nothing.
template <class Isa, std::uint32_t n_tokens>
[[gnu::always_inline]] inline void score(const AttendingTokens& tokens, const float* keys) noexcept {
  constexpr std::uint32_t tiles_at_once = n_tokens >= 4 ? 2 : 4;
  const float root = __builtin_sqrtf(static_cast<float>(static_cast<std::int32_t>(tokens.head_dim)));
  const std::size_t tile_floats = std::size_t{Isa::lanes} * tokens.head_dim;
  const std::uint32_t n_tiles = (tokens.n_positions + n_tokens - 1 + Isa::lanes - 1) / Isa::lanes;
  std::uint32_t tile = 0;
  for (; tile + tiles_at_once <= n_tiles; tile += tiles_at_once) {
    score_tiles<Isa, n_tokens, tiles_at_once>(tokens, keys + tile * tile_floats, root,
                                              tokens.scores + std::size_t{tile} * Isa::lanes);
  }
  for (; tile < n_tiles; ++tile) {
    score_tiles<Isa, n_tokens, 1>(tokens, keys + tile * tile_floats, root,
                                  tokens.scores + std::size_t{tile} * Isa::lanes);
  }
}

/// Components [from, from + n_vectors * lanes) of every token's result.
template <class Isa, std::uint32_t n_tokens, std::uint32_t lanes, std::uint32_t n_vectors>
[[gnu::always_inline]] inline void weigh(const AttendingTokens& tokens, const float* values,
                                         std::uint32_t from) noexcept {
  using V = Lanes<Isa, lanes>;
  Floats<lanes> sums[n_tokens][n_vectors] = {};
  values += from;
  const auto add = [&](std::uint32_t token, std::uint32_t position, const float* value) {
    const Floats<lanes> weight = V::broadcast(tokens.scores[token * tokens.score_stride + position]);
    for (std::uint32_t i = 0; i < n_vectors; ++i) {
      sums[token][i] += weight * V::load(value + std::size_t{i} * lanes);
    }
  };
  for (std::uint32_t position = 0; position < tokens.n_positions; ++position, values += tokens.head_dim) {
    for (std::uint32_t token = 0; token < n_tokens; ++token) add(token, position, values);
  }
  // What later tokens see besides.
  for (std::uint32_t more = 0; more + 1 < n_tokens; ++more, values += tokens.head_dim) {
    for (std::uint32_t token = more + 1; token < n_tokens; ++token) {
      add(token, tokens.n_positions + more, values);
    }
  }
  for (std::uint32_t token = 0; token < n_tokens; ++token) {
    for (std::uint32_t i = 0; i < n_vectors; ++i) {
      V::store(tokens.out + token * tokens.query_stride + from + std::size_t{i} * lanes, sums[token][i]);
    }
  }
}

/// Full vectors first, then ever narrower ones.
template <class Isa, std::uint32_t n_tokens, std::uint32_t lanes = Isa::lanes>
[[gnu::always_inline]] inline void weigh_values(const AttendingTokens& tokens, const float* values,
                                                std::uint32_t from) noexcept {
  if constexpr (lanes == Isa::lanes) {
    for (; from + 4 * lanes <= tokens.head_dim; from += 4 * lanes) {
      weigh<Isa, n_tokens, lanes, 4>(tokens, values, from);
    }
    if (from + 3 * lanes <= tokens.head_dim) {
      weigh<Isa, n_tokens, lanes, 3>(tokens, values, from);
      from += 3 * lanes;
    }
    if (from + 2 * lanes <= tokens.head_dim) {
      weigh<Isa, n_tokens, lanes, 2>(tokens, values, from);
      from += 2 * lanes;
    }
  }
  if (from + lanes <= tokens.head_dim) {
    weigh<Isa, n_tokens, lanes, 1>(tokens, values, from);
    from += lanes;
  }
  if constexpr (lanes > 1) weigh_values<Isa, n_tokens, lanes / 2>(tokens, values, from);
}

template <class Isa, std::uint32_t n_tokens>
void attend(const AttendingTokens& tokens, const float* keys, const float* values) noexcept {
  score<Isa, n_tokens>(tokens, keys);
  for (std::uint32_t token = 0; token < n_tokens; ++token) {
    softmax<Isa>(tokens.scores + token * tokens.score_stride, tokens.n_positions + token);
  }
  weigh_values<Isa, n_tokens>(tokens, values, 0);
}

/// Tokens are taken several at a time where this call's heads have as many rows of scores for them.
template <class Isa>
void attention(const AttentionJob& job, Range heads) noexcept {
  const std::size_t token_stride = std::size_t{job.n_heads} * job.head_dim;
  const std::uint32_t score_rows = heads.end - heads.begin;
  for (std::uint32_t head = heads.begin; head < heads.end; ++head) {
    const std::uint32_t kv_head = head / (job.n_heads / job.n_kv_heads);
    const std::size_t cache_offset = std::size_t{kv_head} * job.cache.capacity * job.head_dim;
    const float* const keys = job.cache.keys + cache_offset;
    const float* const values = job.cache.values + cache_offset;
    AttendingTokens tokens;
    tokens.scores = job.scores + std::size_t{heads.begin} * job.cache.capacity;
    tokens.query_stride = token_stride;
    tokens.score_stride = job.cache.capacity;
    tokens.head_dim = job.head_dim;
    std::uint32_t token = 0;
    const auto take = [&]<std::uint32_t n_tokens>() {
      for (; token + n_tokens <= job.n_tokens && n_tokens <= score_rows; token += n_tokens) {
        const std::size_t offset = token * token_stride + std::size_t{head} * job.head_dim;
        tokens.query = job.query + offset;
        tokens.out = job.out + offset;
        tokens.n_positions = job.first_position + token + 1;
        attend<Isa, n_tokens>(tokens, keys, values);
      }
    };
    if constexpr (Isa::attending_tokens >= 4) take.template operator()<4>();
    take.template operator()<2>();
    take.template operator()<1>();
  }
}

}  // namespace pspllm::host
