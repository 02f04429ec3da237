// Attention in exact integers: int8 queries, keys and values, a scale each, and integer weights of positions.
#include "engine/math/rounding.hpp"
#include "engine/ops/reference/reference.hpp"

namespace pspllm::reference {
namespace {

constexpr float smallest_normal = 0x1p-126F;

bool is_normal(float positive) noexcept {
  return positive >= smallest_normal && positive - positive == 0.0F;
}

/// One head of one token.
struct Head {
  const std::int8_t* query = nullptr;   // [head_dim]
  const std::int8_t* keys = nullptr;    // [capacity, row_bytes]
  const std::int8_t* values = nullptr;  // [capacity, row_bytes]
  const float* key_scales = nullptr;    // [capacity]
  const float* value_scales = nullptr;  // [capacity]
  float query_scale = 0.0F;
  std::uint32_t head_dim = 0;
};

std::int32_t dot(const std::int8_t* a, const std::int8_t* b, std::uint32_t n) noexcept {
  std::int32_t sum = 0;
  for (std::uint32_t i = 0; i < n; ++i) sum += static_cast<std::int32_t>(a[i]) * b[i];
  return sum;
}

/// Scores of the slots in `slots`, to scores[0] on.
void score(const Head& head, Range slots, float* scores) noexcept {
  const float root = __builtin_sqrtf(static_cast<float>(static_cast<std::int32_t>(head.head_dim)));
  for (std::uint32_t slot = slots.begin; slot < slots.end; ++slot) {
    const std::int8_t* const key = head.keys + std::size_t{slot} * int8_row_bytes(head.head_dim);
    const auto product = static_cast<float>(dot(head.query, key, head.head_dim));
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
float make_weights_whole(const Head& head, Range own, Range older, std::uint32_t largest_weight,
                         float* weights) noexcept {
  float largest = 0.0F;
  for_slots(own, older, [&](std::uint32_t index, std::uint32_t slot) {
    weights[index] *= head.value_scales[slot];
    if (weights[index] > largest) largest = weights[index];
  });
  if (!is_normal(largest)) largest = 0.0F;
  const auto limit = static_cast<float>(static_cast<std::int32_t>(largest_weight));
  for_slots(own, older, [&](std::uint32_t index, std::uint32_t) {
    const float share = weights[index] / largest;
    const bool finite = share - share == 0.0F;
    weights[index] = finite ? static_cast<float>(round_half_away(share * limit)) : 0.0F;
  });
  return largest / limit;
}

void attend(const Head& head, Range own, Range older, std::uint32_t largest_weight, float* scores,
            float* out) noexcept {
  score(head, own, scores);
  score(head, older, scores + (own.end - own.begin));
  softmax(scores, own.end - own.begin + older.end - older.begin);
  const float unit = make_weights_whole(head, own, older, largest_weight, scores);
  for (std::uint32_t i = 0; i < head.head_dim; ++i) {
    std::int32_t sum = 0;
    for_slots(own, older, [&](std::uint32_t index, std::uint32_t slot) {
      const std::int8_t value = head.values[std::size_t{slot} * int8_row_bytes(head.head_dim) + i];
      sum += static_cast<std::int32_t>(scores[index]) * value;
    });
    out[i] = static_cast<float>(sum) * unit;
  }
}

}  // namespace

float quantize_head(const float* x, std::uint32_t head_dim, std::int8_t* values) noexcept {
  float scale = 0.0F;
  quantize_group(x, head_dim, values, scale);
  if (is_normal(scale)) return scale;
  // A scale without all its bits would let values pass 127.
  for (std::uint32_t i = 0; i < head_dim; ++i) values[i] = 0;
  return 0.0F;
}

void store_key_value_int8(const Int8LayerCache& cache, std::uint32_t slot, float* key, float* value,
                          std::uint32_t n_kv_heads, std::uint32_t head_dim) noexcept {
  for (std::uint32_t head = 0; head < n_kv_heads; ++head) {
    const std::size_t at = std::size_t{head} * cache.capacity + slot;
    const std::size_t row = at * int8_row_bytes(head_dim);
    cache.key_scales[at] = quantize_head(key, head_dim, reinterpret_cast<std::int8_t*>(cache.keys + row));
    cache.value_scales[at] =
        quantize_head(value, head_dim, reinterpret_cast<std::int8_t*>(cache.values + row));
    key += head_dim;
    value += head_dim;
  }
}

void attention_int8(const Int8AttentionJob& job, Range heads) noexcept {
  const Int8LayerCache& cache = job.cache;
  for (std::uint32_t head_index = heads.begin; head_index < heads.end; ++head_index) {
    const std::size_t first = std::size_t{head_index / (job.n_heads / job.n_kv_heads)} * cache.capacity;
    const std::size_t first_row = first * int8_row_bytes(job.head_dim);
    Head head;
    head.keys = reinterpret_cast<const std::int8_t*>(cache.keys + first_row);
    head.values = reinterpret_cast<const std::int8_t*>(cache.values + first_row);
    head.key_scales = cache.key_scales + first;
    head.value_scales = cache.value_scales + first;
    head.head_dim = job.head_dim;
    for (std::uint32_t token = 0; token < job.n_tokens; ++token) {
      const std::size_t offset = (std::size_t{token} * job.n_heads + head_index) * job.head_dim;
      // The quantised query takes the front of its own floats.
      auto* const query = reinterpret_cast<std::int8_t*>(job.query + offset);
      head.query_scale = quantize_head(job.query + offset, job.head_dim, query);
      head.query = query;
      attend(head, {0, job.first_slot + token + 1}, job.older, job.largest_weight,
             job.scores + std::size_t{head_index} * cache.capacity, job.out + offset);
    }
  }
}

}  // namespace pspllm::reference
