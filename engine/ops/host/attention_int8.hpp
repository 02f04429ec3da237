// Attention in exact integers. Scores: lanes are slots of the cache, as rows of a q80 matrix are. Weighted
// values: lanes are components of the head, two slots a multiplication. Query heads that share a key/value
// head, and neighbouring tokens, share what they load of the cache.
#pragma once

#include <algorithm>
#include <limits>

#include "engine/ops/host/elementwise.hpp"
#include "engine/ops/host/quantize.hpp"
#include "engine/ops/host/vectors.hpp"
#include "engine/ops/kernels.hpp"

namespace pspllm::host {

/// Where the set keeps a cache's numbers: see Int8CacheLayout.
template <class Isa>
inline constexpr Int8CacheLayout int8_layout{.key_positions = Isa::lanes,
                                             .key_columns = Isa::format.columns_per_step,
                                             .value_positions = 2,
                                             .key_flip = Isa::format.value_flip};

/// A query, key or value in int8, one scale.
template <class Isa>
struct Int8Head {
  const typename Isa::Activation* values = nullptr;  // [int8_row_bytes()], zeros behind head_dim
  float scale = 0.0F;
  std::int32_t sum = 0;  ///< of the values
};

/// Quantises in place: the result takes the front of its own floats.
template <class Isa>
[[gnu::always_inline]] inline Int8Head<Isa> quantize_head(float* x, std::uint32_t head_dim) noexcept {
  using Activation = typename Isa::Activation;
  auto* const values = reinterpret_cast<Activation*>(x);
  const std::uint32_t row = int8_row_bytes(head_dim);
  const QuantizedVector quantized = quantize_vector<Isa>(x, head_dim, values);
  __builtin_memset(values + head_dim, 0, (row - head_dim) * sizeof(Activation));
  return {values, quantized.scale, quantized.sum};
}

template <class Isa>
void store_key_value_int8(const Int8LayerCache& cache, std::uint32_t slot, float* key, float* value,
                          std::uint32_t n_kv_heads, std::uint32_t head_dim) noexcept {
  constexpr Int8CacheLayout layout = int8_layout<Isa>;
  const std::uint32_t row = int8_row_bytes(head_dim);
  for (std::uint32_t head = 0; head < n_kv_heads; ++head) {
    const std::size_t first = std::size_t{head} * cache.capacity;
    const Int8Head<Isa> new_key = quantize_head<Isa>(key, head_dim);
    cache.key_scales[first + slot] = new_key.scale;
    std::byte* const keys = cache.keys + first * row + std::size_t{slot / Isa::lanes} * Isa::lanes * row +
                            std::size_t{slot % Isa::lanes} * layout.key_columns;
    for (std::uint32_t i = 0; i < head_dim; ++i) {
      keys[std::size_t{i / layout.key_columns} * Isa::lanes * layout.key_columns + i % layout.key_columns] =
          static_cast<std::byte>(new_key.values[i]) ^ std::byte{layout.key_flip};
    }
    const Int8Head<Isa> new_value = quantize_head<Isa>(value, head_dim);
    cache.value_scales[first + slot] = new_value.scale;
    std::byte* const values = cache.values + first * row + std::size_t{slot / 2} * 2 * row + slot % 2;
    for (std::uint32_t i = 0; i < head_dim; ++i) {
      values[std::size_t{i} * 2] = static_cast<std::byte>(new_value.values[i]);
    }
    key += head_dim;
    value += head_dim;
  }
}

/// A query on its way through one head's cache.
template <class Isa>
struct Int8Query {
  Int8Head<Isa> head;
  float* scores = nullptr;    // [capacity]; later the whole weights, int16, two in a word
  float* out = nullptr;       // [head_dim]
  std::uint32_t own_end = 0;  ///< sees slots [0, own_end) and those of Int8Slots::older
  float unit = 0.0F;          ///< what a weight of 1 stands for
};

/// The cache of one head, and what all queries see of it.
struct Int8Slots {
  const std::byte* keys = nullptr;
  const std::byte* values = nullptr;
  const float* key_scales = nullptr;
  const float* value_scales = nullptr;
  Range older;
  std::uint32_t end = 0;  ///< behind the last slot that any of the queries sees
  std::uint32_t head_dim = 0;
  std::uint32_t row_bytes = 0;
  std::int32_t largest_weight = 0;
};

template <class Isa, std::uint32_t n_queries, std::uint32_t n_tiles>
[[gnu::always_inline]] inline void score_int8_tiles(const Int8Slots& slots, const Int8Query<Isa>* queries,
                                                    std::uint32_t first_slot, float root) noexcept {
  using V = Lanes<Isa>;
  constexpr std::size_t step_bytes = std::size_t{Isa::lanes} * Isa::format.columns_per_step;
  const std::size_t tile_bytes = std::size_t{Isa::lanes} * slots.row_bytes;
  const std::byte* keys = slots.keys + std::size_t{first_slot} * slots.row_bytes;
  Ints<Isa::lanes> sums[n_queries][n_tiles];
  for (std::uint32_t query = 0; query < n_queries; ++query) {
    const std::int32_t start = Isa::format.value_flip != 0 ? -128 * queries[query].head.sum : 0;
    for (std::uint32_t tile = 0; tile < n_tiles; ++tile) sums[query][tile] = V::broadcast(start);
  }
  for (std::uint32_t i = 0; i < slots.row_bytes; i += Isa::format.columns_per_step, keys += step_bytes) {
    for (std::uint32_t tile = 0; tile < n_tiles; ++tile) {
      const typename Isa::WeightStep key = Isa::load_weights(keys + tile * tile_bytes);
      for (std::uint32_t query = 0; query < n_queries; ++query) {
        std::int32_t broadcast = 0;
        __builtin_memcpy(&broadcast, queries[query].head.values + i, sizeof broadcast);
        sums[query][tile] = Isa::multiply_add(sums[query][tile], key, broadcast);
      }
    }
  }
  for (std::uint32_t tile = 0; tile < n_tiles; ++tile) {
    const std::uint32_t slot = first_slot + tile * Isa::lanes;
    const Floats<Isa::lanes> scales = V::load(slots.key_scales + slot);
    for (std::uint32_t query = 0; query < n_queries; ++query) {
      const Floats<Isa::lanes> scaled =
          (V::to_float(sums[query][tile]) * V::broadcast(queries[query].head.scale)) * scales;
      V::store(queries[query].scores + slot, scaled / V::broadcast(root));
    }
  }
}

/// Fills scores in whole tiles; those of slots that a query does not see mean nothing.
template <class Isa, std::uint32_t n_queries>
[[gnu::always_inline]] inline void score_int8(const Int8Slots& slots,
                                              const Int8Query<Isa>* queries) noexcept {
  constexpr std::uint32_t tiles_at_once = n_queries >= 4 ? 2 : 4;
  const float root = __builtin_sqrtf(static_cast<float>(static_cast<std::int32_t>(slots.head_dim)));
  std::uint32_t slot = 0;
  for (; slot + (tiles_at_once - 1) * Isa::lanes < slots.end; slot += tiles_at_once * Isa::lanes) {
    score_int8_tiles<Isa, n_queries, tiles_at_once>(slots, queries, slot, root);
  }
  for (; slot < slots.end; slot += Isa::lanes)
    score_int8_tiles<Isa, n_queries, 1>(slots, queries, slot, root);
}

/// weights[i] *= scales[i]; gives the largest, or 0 where that is no normal number.
template <class Isa>
[[gnu::always_inline]] inline float scale_weights(float* weights, const float* scales,
                                                  std::uint32_t n) noexcept {
  using V = Lanes<Isa>;
  typename V::F lanes{};
  float largest = 0.0F;
  std::uint32_t i = 0;
  for (; i + Isa::lanes <= n; i += Isa::lanes) {
    const typename V::F weight = V::load(weights + i) * V::load(scales + i);
    V::store(weights + i, weight);
    lanes = weight > lanes ? weight : lanes;
  }
  for (; i < n; ++i) {
    weights[i] *= scales[i];
    if (weights[i] > largest) largest = weights[i];
  }
  const float of_lanes = reduce<float, Isa::lanes>(lanes, [](auto a, auto b) { return a > b ? a : b; });
  if (of_lanes > largest) largest = of_lanes;
  return largest >= smallest_normal && largest - largest == 0.0F ? largest : 0.0F;
}

/// A query's scores to whole weights, int16 in the front of the scores; zeros up to an even number of slots.
template <class Isa>
[[gnu::always_inline]] inline void weigh_slots(const Int8Slots& slots, Int8Query<Isa>& query) noexcept {
  const std::uint32_t n = std::max(query.own_end, slots.older.end);
  float* const weights = query.scores;
  // Where the window has wrapped, slots between the two ranges are out of sight: e^-infinity adds 0 exactly.
  for (std::uint32_t slot = query.own_end; slot < std::min(slots.older.begin, n); ++slot) {
    weights[slot] = -std::numeric_limits<float>::infinity();
  }
  softmax<Isa>(weights, n);
  const float largest = scale_weights<Isa>(weights, slots.value_scales, n);
  const auto limit = static_cast<float>(slots.largest_weight);
  auto* const whole_weights = reinterpret_cast<std::byte*>(weights);
  for_each_lane<Isa>(n, [&]<std::uint32_t lanes>(std::uint32_t i) {
    using V = Lanes<Isa, lanes>;
    using Stored = Vector<std::int16_t, lanes>;
    const Floats<lanes> share = V::load(weights + i) / V::broadcast(largest);
    const Ints<lanes> whole = round_finite<Isa, lanes>(share, V::broadcast(limit));
    const Stored stored = __builtin_convertvector(whole, Stored);
    __builtin_memcpy(whole_weights + i * sizeof(std::int16_t), &stored, sizeof stored);
  });
  const std::uint32_t even_end = (slots.end + 1) / 2 * 2;
  __builtin_memset(whole_weights + n * sizeof(std::int16_t), 0, (even_end - n) * sizeof(std::int16_t));
  query.unit = largest / limit;
}

template <class Isa>
[[gnu::always_inline]] inline auto load_value_pairs(const std::byte* from) noexcept {
  if constexpr (Isa::format.columns_per_step == 2) {
    return Isa::load_weights(from);
  } else {
    return Isa::load_pairs(from);
  }
}

template <class Isa, class Pairs>
[[gnu::always_inline]] inline Ints<Isa::lanes> add_value_pairs(Ints<Isa::lanes> sum, Pairs pairs,
                                                               std::int32_t weights) noexcept {
  if constexpr (Isa::format.columns_per_step == 2) {
    return Isa::multiply_add(sum, pairs, weights);
  } else {
    return Isa::multiply_add_pairs(sum, pairs, weights);
  }
}

/// Components [from, from + n_vectors * lanes) of every query's result.
template <class Isa, std::uint32_t n_queries, std::uint32_t n_vectors>
[[gnu::always_inline]] inline void mix_int8(const Int8Slots& slots, const Int8Query<Isa>* queries,
                                            std::uint32_t from) noexcept {
  using V = Lanes<Isa>;
  Ints<Isa::lanes> sums[n_queries][n_vectors] = {};
  const std::byte* values = slots.values + std::size_t{from} * 2;
  for (std::uint32_t slot = 0; slot < slots.end; slot += 2, values += std::size_t{slots.row_bytes} * 2) {
    std::int32_t weights[n_queries];
    for (std::uint32_t query = 0; query < n_queries; ++query) {
      const auto* const words = reinterpret_cast<const std::byte*>(queries[query].scores);
      __builtin_memcpy(&weights[query], words + slot * sizeof(std::int16_t), sizeof(std::int32_t));
    }
    for (std::uint32_t i = 0; i < n_vectors; ++i) {
      const auto pairs = load_value_pairs<Isa>(values + std::size_t{i} * Isa::lanes * 2);
      for (std::uint32_t query = 0; query < n_queries; ++query) {
        sums[query][i] = add_value_pairs<Isa>(sums[query][i], pairs, weights[query]);
      }
    }
  }
  for (std::uint32_t query = 0; query < n_queries; ++query) {
    for (std::uint32_t i = 0; i < n_vectors; ++i) {
      V::store(queries[query].out + from + std::size_t{i} * Isa::lanes,
               V::to_float(sums[query][i]) * V::broadcast(queries[query].unit));
    }
  }
}

/// The components that fill no vector.
template <class Isa>
[[gnu::always_inline]] inline void mix_int8_rest(const Int8Slots& slots, const Int8Query<Isa>& query,
                                                 std::uint32_t from) noexcept {
  const auto* const words = reinterpret_cast<const std::byte*>(query.scores);
  for (std::uint32_t i = from; i < slots.head_dim; ++i) {
    std::int32_t sum = 0;
    for (std::uint32_t slot = 0; slot < slots.end; ++slot) {
      std::int16_t weight = 0;
      __builtin_memcpy(&weight, words + slot * sizeof weight, sizeof weight);
      const std::size_t at = (std::size_t{slot / 2} * slots.row_bytes + i) * 2 + slot % 2;
      sum += weight * static_cast<std::int8_t>(slots.values[at]);
    }
    query.out[i] = static_cast<float>(sum) * query.unit;
  }
}

template <class Isa, std::uint32_t n_queries>
[[gnu::noinline]] void attend_int8(const Int8Slots& slots, Int8Query<Isa>* queries) noexcept {
  score_int8<Isa, n_queries>(slots, queries);
  for (std::uint32_t query = 0; query < n_queries; ++query) weigh_slots<Isa>(slots, queries[query]);
  constexpr std::uint32_t vectors_at_once = 4;
  std::uint32_t from = 0;
  for (; from + vectors_at_once * Isa::lanes <= slots.head_dim; from += vectors_at_once * Isa::lanes) {
    mix_int8<Isa, n_queries, vectors_at_once>(slots, queries, from);
  }
  for (; from + Isa::lanes <= slots.head_dim; from += Isa::lanes) {
    mix_int8<Isa, n_queries, 1>(slots, queries, from);
  }
  for (std::uint32_t query = 0; query < n_queries; ++query) mix_int8_rest<Isa>(slots, queries[query], from);
}

/// All queries of the tokens and of heads [heads.begin, heads.end), which share one key/value head: as many
/// at a time as there are rows of scores for them.
template <class Isa>
[[gnu::always_inline]] inline void attend_int8_group(const Int8AttentionJob& job, Int8Slots slots,
                                                     Range heads, float* scores,
                                                     std::uint32_t score_rows) noexcept {
  const std::uint32_t n_heads = heads.end - heads.begin;
  const std::uint32_t count = n_heads * job.n_tokens;
  std::uint32_t done = 0;
  const auto take = [&]<std::uint32_t n_queries>() {
    for (; done + n_queries <= count && n_queries <= score_rows; done += n_queries) {
      Int8Query<Isa> queries[n_queries];
      for (std::uint32_t i = 0; i < n_queries; ++i) {
        const std::uint32_t token = (done + i) / n_heads;
        const std::uint32_t head = heads.begin + (done + i) % n_heads;
        const std::size_t offset = (std::size_t{token} * job.n_heads + head) * job.head_dim;
        queries[i].head = quantize_head<Isa>(job.query + offset, job.head_dim);
        queries[i].scores = scores + std::size_t{i} * job.cache.capacity;
        queries[i].out = job.out + offset;
        queries[i].own_end = job.first_slot + token + 1;
        slots.end = std::max(queries[i].own_end, job.older.end);
      }
      attend_int8<Isa, n_queries>(slots, queries);
    }
  };
  if constexpr (Isa::attending_tokens >= 4) take.template operator()<4>();
  if constexpr (Isa::attending_tokens >= 4) take.template operator()<3>();
  take.template operator()<2>();
  take.template operator()<1>();
}

template <class Isa>
void attention_int8(const Int8AttentionJob& job, Range heads) noexcept {
  const std::uint32_t group = job.n_heads / job.n_kv_heads;
  float* const scores = job.scores + std::size_t{heads.begin} * job.cache.capacity;
  Int8Slots slots;
  slots.older = job.older.begin < job.older.end ? job.older : Range{};
  slots.head_dim = job.head_dim;
  slots.row_bytes = int8_row_bytes(job.head_dim);
  slots.largest_weight = static_cast<std::int32_t>(job.largest_weight);
  for (std::uint32_t head = heads.begin; head < heads.end;) {
    const std::uint32_t kv_head = head / group;
    const std::uint32_t group_end = std::min((kv_head + 1) * group, heads.end);
    const std::size_t first = std::size_t{kv_head} * job.cache.capacity;
    slots.keys = job.cache.keys + first * slots.row_bytes;
    slots.values = job.cache.values + first * slots.row_bytes;
    slots.key_scales = job.cache.key_scales + first;
    slots.value_scales = job.cache.value_scales + first;
    attend_int8_group<Isa>(job, slots, {head, group_end}, scores, heads.end - heads.begin);
    head = group_end;
  }
}

}  // namespace pspllm::host
