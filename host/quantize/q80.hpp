// llama2.c's q80: groups of int8 values with one fp32 scale, as its exporter (export.py, version 2) makes
// them.
#pragma once

#include <cstdint>
#include <span>

#include "engine/model/config.hpp"

namespace pspllm::host {

/// Largest magnitude of a quantised weight.
inline constexpr float largest_q80 = 127.0F;

/// Quantises weights [cols of several groups] symmetrically: scale = max|w| / 127 in fp32, value = w / scale
/// rounded half to even; an all-zero group gives zeros. All weights must be finite. values: as many as
/// weights; scales: [weights / group_size].
void quantize_q80(std::span<const float> weights, std::uint32_t group_size, std::span<std::int8_t> values,
                  std::span<float> scales) noexcept;

/// The largest of 64, 32, 16 … 1 that divides every row of a model of this shape.
[[nodiscard]] std::uint32_t largest_q80_group(const ModelConfig& config) noexcept;

}  // namespace pspllm::host
