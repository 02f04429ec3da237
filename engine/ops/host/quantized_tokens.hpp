// Quantised activations as the host sets keep them: a token's values ready to be broadcast, its scales, and
// what corrects a group's sum where weights are stored 128 too large.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/checked.hpp"
#include "engine/core/limits.hpp"
#include "engine/ops/kernels.hpp"

namespace pspllm::host {

/// Distances within one token's bytes; every part starts on a multiple of 64.
struct TokenLayout {
  std::size_t scales = 0;       ///< [cols / group_size] fp32
  std::size_t corrections = 0;  ///< [cols / group_size] int32: -128 times the sum of the group's values
  std::size_t bytes = 0;        ///< of one token
};

/// value_bytes: of one value. The values [cols] stand first.
[[nodiscard]] constexpr TokenLayout token_layout(std::uint32_t cols, std::uint32_t group_size,
                                                 std::size_t value_bytes) noexcept {
  const auto aligned = [](std::size_t bytes) {
    return static_cast<std::size_t>(align_up(bytes, block_alignment));
  };
  const std::size_t per_group = aligned(cols / group_size * sizeof(float));
  TokenLayout layout;
  layout.scales = aligned(cols * value_bytes);
  layout.corrections = layout.scales + per_group;
  layout.bytes = layout.corrections + per_group;
  return layout;
}

}  // namespace pspllm::host
