// The loop over heads and tokens of attention over a floating-point cache, for kernels that take one head of
// one token at a time.
#pragma once

#include "engine/ops/kernels.hpp"

namespace pspllm {

/// What one head of one token attends with and to.
struct AttendingHead {
  const float* query;         // [head_dim]
  const float* keys;          // first position of its key/value head, in the cache's own layout
  const float* values;        // likewise
  std::uint32_t n_positions;  // those of the token itself and of all before it
  std::uint32_t head_dim;
  float* scores;  // [n_positions], room to compute in
  float* out;     // [head_dim]
};

/// Calls attend(AttendingHead) for every token of every head in `heads`.
template <class Attend>
void for_each_attending_head(const AttentionJob& job, Range heads, Attend attend) noexcept {
  const std::size_t token_stride = std::size_t{job.n_heads} * job.head_dim;
  for (std::uint32_t head = heads.begin; head < heads.end; ++head) {
    const std::uint32_t kv_head = head / (job.n_heads / job.n_kv_heads);
    const std::size_t cache_offset = std::size_t{kv_head} * job.cache.capacity * job.head_dim;
    for (std::uint32_t token = 0; token < job.n_tokens; ++token) {
      const std::size_t offset = token * token_stride + std::size_t{head} * job.head_dim;
      attend(AttendingHead{job.query + offset, job.cache.keys + cache_offset, job.cache.values + cache_offset,
                           job.first_position + token + 1, job.head_dim,
                           job.scores + std::size_t{head} * job.cache.capacity, job.out + offset});
    }
  }
}

}  // namespace pspllm
