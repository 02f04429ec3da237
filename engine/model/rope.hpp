// Rotary position embedding (Su et al. 2021) as llama2.c computes it: neighbouring pairs, one angle a pair.
#pragma once

#include <cstdint>

#include "engine/model/config.hpp"

namespace pspllm {

/// table[position, pair] = {cos, sin} of position / rope_base^(2 pair / head_dim), with the reference's bits.
/// table: [positions, head_dim / 2, 2].
void fill_rope_table(const ModelConfig& config, std::uint32_t positions, float* table) noexcept;

/// Rotates the pairs of n_heads vectors. x: [n_heads, head_dim]; table_row: [head_dim / 2, 2].
void rotate(float* x, const float* table_row, std::uint32_t n_heads, std::uint32_t head_dim) noexcept;

}  // namespace pspllm
