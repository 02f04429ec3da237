// Rotary position embedding (Su et al. 2021) as llama2.c computes it: neighbouring pairs, one angle a pair.
#pragma once

#include <cstdint>
#include <span>

#include "engine/model/config.hpp"

namespace pspllm {

/// frequencies[pair] = 1 / rope_base^(2 pair / head_dim), the angle a position, with the reference's bits.
/// frequencies: [head_dim / 2].
void fill_rope_frequencies(const ModelConfig& config, std::span<float> frequencies) noexcept;

/// rows[i, pair] = {cos, sin} of (first_position + i) * frequencies[pair]. rows: [count, head_dim / 2, 2].
void fill_rope_rows(std::span<const float> frequencies, std::uint32_t first_position, std::uint32_t count,
                    float* rows) noexcept;

/// Rotates the pairs of n_heads vectors. x: [n_heads, head_dim]; table_row: [head_dim / 2, 2].
void rotate(float* x, const float* table_row, std::uint32_t n_heads, std::uint32_t head_dim) noexcept;

}  // namespace pspllm
