// The reference's own layout: row after row.
#include "engine/ops/reference/attention_int8.hpp"

namespace pspllm::reference {

float make_weights_whole(const Int8Head& head, Range own, Range older, std::uint32_t largest_weight,
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

void store_key_value_int8(const Int8LayerCache& cache, std::uint32_t slot, float* key, float* value,
                          std::uint32_t n_kv_heads, std::uint32_t head_dim) noexcept {
  store_key_value_int8<Int8CacheLayout{}>(cache, slot, key, value, n_kv_heads, head_dim);
}

void attention_int8(const Int8AttentionJob& job, Range heads) noexcept {
  attention_int8<Int8CacheLayout{}>(job, heads);
}

}  // namespace pspllm::reference
