// Attention over an int8 cache in a kernel set's own layout: what the tests of all sets compare.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "engine/ops/kernels.hpp"

namespace pspllm::testing {

struct Int8AttentionShape {
  std::uint32_t n_tokens = 1;
  std::uint32_t first_slot = 0;
  std::uint32_t older = 0;   ///< slots seen by all tokens behind the batch's own
  std::uint32_t hidden = 0;  ///< slots between those and the batch's last
  std::uint32_t n_kv_heads = 1;
  std::uint32_t heads_per_kv_head = 1;
  std::uint32_t head_dim = 8;

  [[nodiscard]] std::uint32_t n_heads() const { return n_kv_heads * heads_per_kv_head; }
  [[nodiscard]] std::uint32_t older_begin() const { return first_slot + n_tokens + hidden; }
  [[nodiscard]] std::uint32_t n_slots() const { return older_begin() + older; }
};

struct Int8AttentionInputs {
  std::vector<float> query;   // [n_tokens, n_heads * head_dim]
  std::vector<float> keys;    // [n_slots, n_kv_heads * head_dim]
  std::vector<float> values;  // the same
};

/// Filled by the set's own store_key_value_int8(); slots that nothing was stored in hold rubbish, as in an
/// engine's block. Heads in two calls.
[[nodiscard]] inline std::vector<float> attend_with_kernels(const Kernels& kernels,
                                                            const Int8AttentionShape& shape,
                                                            Int8AttentionInputs inputs) {
  const auto capacity = static_cast<std::uint32_t>(align_up(shape.n_slots(), kernels.key_tile));
  const std::size_t rows = std::size_t{shape.n_kv_heads} * capacity;
  std::vector<std::byte> keys(rows * int8_row_bytes(shape.head_dim), std::byte{0x55});
  std::vector<std::byte> values(keys.size(), std::byte{0xaa});
  std::vector<float> key_scales(rows, 1e30F);
  std::vector<float> value_scales(rows, 1e30F);
  std::vector<float> scores(std::size_t{shape.n_heads()} * capacity);
  std::vector<float> out(inputs.query.size());
  Int8AttentionJob job;
  job.query = inputs.query.data();
  job.cache = {keys.data(), values.data(), key_scales.data(), value_scales.data(), capacity};
  job.scores = scores.data();
  job.out = out.data();
  job.n_tokens = shape.n_tokens;
  job.first_slot = shape.first_slot;
  job.older = {shape.older_begin(), shape.n_slots()};
  job.largest_weight = static_cast<std::uint32_t>(largest_attention_weight(shape.n_slots()));
  job.n_heads = shape.n_heads();
  job.n_kv_heads = shape.n_kv_heads;
  job.head_dim = shape.head_dim;
  const std::size_t kv_dim = std::size_t{shape.n_kv_heads} * shape.head_dim;
  for (std::uint32_t slot = 0; slot < shape.n_slots(); ++slot) {
    kernels.store_key_value_int8(job.cache, slot, inputs.keys.data() + slot * kv_dim,
                                 inputs.values.data() + slot * kv_dim, shape.n_kv_heads, shape.head_dim);
  }
  const std::uint32_t cut = job.n_heads / 2;
  kernels.attention_int8(job, {0, cut});
  kernels.attention_int8(job, {cut, job.n_heads});
  return out;
}

[[nodiscard]] inline Int8AttentionInputs random_inputs(const Int8AttentionShape& shape, std::mt19937& random,
                                                       float spread) {
  std::normal_distribution<float> normal(0.0F, spread);
  const auto fill = [&](std::size_t count) {
    std::vector<float> values(count);
    for (float& value : values) value = normal(random);
    return values;
  };
  const std::size_t kv_floats = std::size_t{shape.n_slots()} * shape.n_kv_heads * shape.head_dim;
  return {fill(std::size_t{shape.n_tokens} * shape.n_heads() * shape.head_dim), fill(kv_floats),
          fill(kv_floats)};
}

}  // namespace pspllm::testing
