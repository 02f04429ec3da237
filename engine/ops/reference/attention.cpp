#include "engine/ops/reference/reference.hpp"

#include "engine/ops/attention_heads.hpp"

namespace pspllm::reference {

void store_key_value(const LayerCache& cache, std::uint32_t position, const float* key, const float* value,
                     std::uint32_t n_kv_heads, std::uint32_t head_dim) noexcept {
  for (std::uint32_t head = 0; head < n_kv_heads; ++head) {
    const std::size_t slot = (std::size_t{head} * cache.capacity + position) * head_dim;
    for (std::uint32_t i = 0; i < head_dim; ++i) {
      cache.keys[slot + i] = key[i];
      cache.values[slot + i] = value[i];
    }
    key += head_dim;
    value += head_dim;
  }
}

namespace {

/// One head of one token. query, out: [head_dim]; keys, values: [capacity, head_dim]; scores: [n_positions].
void attend(const AttendingHead& at) noexcept {
  const auto [query, keys, values, n_positions, head_dim, scores, out] = at;
  const float root = __builtin_sqrtf(static_cast<float>(static_cast<std::int32_t>(head_dim)));
  for (std::uint32_t position = 0; position < n_positions; ++position) {
    const float* key = keys + std::size_t{position} * head_dim;
    float score = 0.0F;
    for (std::uint32_t i = 0; i < head_dim; ++i) score += query[i] * key[i];
    scores[position] = score / root;
  }
  softmax(scores, n_positions);
  for (std::uint32_t i = 0; i < head_dim; ++i) out[i] = 0.0F;
  for (std::uint32_t position = 0; position < n_positions; ++position) {
    const float* value = values + std::size_t{position} * head_dim;
    for (std::uint32_t i = 0; i < head_dim; ++i) out[i] += scores[position] * value[i];
  }
}

}  // namespace

void attention(const AttentionJob& job, Range heads) noexcept {
  for_each_attending_head(job, heads, attend);
}

}  // namespace pspllm::reference
