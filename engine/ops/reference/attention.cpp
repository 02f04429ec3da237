#include "engine/ops/reference/reference.hpp"

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
void attend(const float* query, const float* keys, const float* values, std::uint32_t n_positions,
            std::uint32_t head_dim, float* scores, float* out) noexcept {
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
  const std::size_t token_stride = std::size_t{job.n_heads} * job.head_dim;
  for (std::uint32_t head = heads.begin; head < heads.end; ++head) {
    const std::uint32_t kv_head = head / (job.n_heads / job.n_kv_heads);
    const std::size_t cache_offset = std::size_t{kv_head} * job.cache.capacity * job.head_dim;
    for (std::uint32_t token = 0; token < job.n_tokens; ++token) {
      const std::size_t offset = token * token_stride + std::size_t{head} * job.head_dim;
      attend(job.query + offset, job.cache.keys + cache_offset, job.cache.values + cache_offset,
             job.first_position + token + 1, job.head_dim,
             job.scores + std::size_t{head} * job.cache.capacity, job.out + offset);
    }
  }
}

}  // namespace pspllm::reference
