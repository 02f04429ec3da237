// Attention in exact integers: int8 queries, keys and values, a scale each, and integer weights of positions.
// For any Int8CacheLayout, so that a kernel set can leave odd shapes to it.
#pragma once

#include "engine/math/rounding.hpp"
#include "engine/ops/reference/reference.hpp"

namespace pspllm::reference {

/// One head of one token.
struct Int8Head {
  const std::int8_t* query = nullptr;   // [head_dim]
  const std::byte* keys = nullptr;      // one head's part of Int8LayerCache::keys
  const std::byte* values = nullptr;    // the same of its values
  const float* key_scales = nullptr;    // [capacity]
  const float* value_scales = nullptr;  // [capacity]
  float query_scale = 0.0F;
  std::uint32_t head_dim = 0;
};

template <Int8CacheLayout layout>
[[nodiscard]] std::int32_t dot(const Int8Head& head, std::uint32_t slot) noexcept {
  const std::uint32_t row_bytes = int8_row_bytes(head.head_dim);
  std::int32_t sum = 0;
  for (std::uint32_t i = 0; i < head.head_dim; ++i) {
    const std::byte key = head.keys[layout.key_offset(slot, i, row_bytes)] ^ std::byte{layout.key_flip};
    sum += static_cast<std::int32_t>(head.query[i]) * static_cast<std::int8_t>(key);
  }
  return sum;
}

/// Scores of the slots in `slots`, to scores[0] on.
template <Int8CacheLayout layout>
void score(const Int8Head& head, Range slots, float* scores) noexcept {
  const float root = __builtin_sqrtf(static_cast<float>(static_cast<std::int32_t>(head.head_dim)));
  for (std::uint32_t slot = slots.begin; slot < slots.end; ++slot) {
    const auto product = static_cast<float>(dot<layout>(head, slot));
    *scores++ = ((product * head.query_scale) * head.key_scales[slot]) / root;
  }
}

/// Calls body(index among the scores, slot) for the slots of both ranges, in order.
template <typename Body>
void for_slots(Range own, Range older, Body body) noexcept {
  std::uint32_t index = 0;
  for (std::uint32_t slot = own.begin; slot < own.end; ++slot) body(index++, slot);
  for (std::uint32_t slot = older.begin; slot < older.end; ++slot) body(index++, slot);
}

/// From softmax's weights to whole numbers up to `largest_weight`, kept as floats; gives what one of them
/// stands for.
[[nodiscard]] float make_weights_whole(const Int8Head& head, Range own, Range older,
                                       std::uint32_t largest_weight, float* weights) noexcept;

template <Int8CacheLayout layout>
void attend(const Int8Head& head, Range own, Range older, std::uint32_t largest_weight, float* scores,
            float* out) noexcept {
  const std::uint32_t row_bytes = int8_row_bytes(head.head_dim);
  score<layout>(head, own, scores);
  score<layout>(head, older, scores + (own.end - own.begin));
  softmax(scores, own.end - own.begin + older.end - older.begin);
  const float unit = make_weights_whole(head, own, older, largest_weight, scores);
  for (std::uint32_t i = 0; i < head.head_dim; ++i) {
    std::int32_t sum = 0;
    for_slots(own, older, [&](std::uint32_t index, std::uint32_t slot) {
      const auto value = static_cast<std::int8_t>(head.values[layout.value_offset(slot, i, row_bytes)]);
      sum += static_cast<std::int32_t>(scores[index]) * value;
    });
    out[i] = static_cast<float>(sum) * unit;
  }
}

template <Int8CacheLayout layout>
void store_key_value_int8(const Int8LayerCache& cache, std::uint32_t slot, float* key, float* value,
                          std::uint32_t n_kv_heads, std::uint32_t head_dim) noexcept {
  const std::uint32_t row_bytes = int8_row_bytes(head_dim);
  for (std::uint32_t head = 0; head < n_kv_heads; ++head) {
    const std::size_t first = std::size_t{head} * cache.capacity;
    std::byte* const keys = cache.keys + first * row_bytes;
    std::byte* const values = cache.values + first * row_bytes;
    // The quantised numbers take the front of their own floats.
    auto* const quantized_key = reinterpret_cast<std::int8_t*>(key);
    auto* const quantized_value = reinterpret_cast<std::int8_t*>(value);
    cache.key_scales[first + slot] = quantize_vector(key, head_dim, quantized_key);
    cache.value_scales[first + slot] = quantize_vector(value, head_dim, quantized_value);
    for (std::uint32_t i = 0; i < head_dim; ++i) {
      keys[layout.key_offset(slot, i, row_bytes)] =
          static_cast<std::byte>(quantized_key[i]) ^ std::byte{layout.key_flip};
      values[layout.value_offset(slot, i, row_bytes)] = static_cast<std::byte>(quantized_value[i]);
    }
    key += head_dim;
    value += head_dim;
  }
}

template <Int8CacheLayout layout>
void attention_int8(const Int8AttentionJob& job, Range heads) noexcept {
  const Int8LayerCache& cache = job.cache;
  for (std::uint32_t head_index = heads.begin; head_index < heads.end; ++head_index) {
    const std::size_t first = std::size_t{head_index / (job.n_heads / job.n_kv_heads)} * cache.capacity;
    const std::size_t first_row = first * int8_row_bytes(job.head_dim);
    Int8Head head;
    head.keys = cache.keys + first_row;
    head.values = cache.values + first_row;
    head.key_scales = cache.key_scales + first;
    head.value_scales = cache.value_scales + first;
    head.head_dim = job.head_dim;
    for (std::uint32_t token = 0; token < job.n_tokens; ++token) {
      const std::size_t offset = (std::size_t{token} * job.n_heads + head_index) * job.head_dim;
      auto* const query = reinterpret_cast<std::int8_t*>(job.query + offset);
      head.query_scale = quantize_vector(job.query + offset, job.head_dim, query);
      head.query = query;
      attend<layout>(head, {0, job.first_slot + token + 1}, job.older, job.largest_weight,
                     job.scores + std::size_t{head_index} * cache.capacity, job.out + offset);
    }
  }
}

}  // namespace pspllm::reference
