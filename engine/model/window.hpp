// The rolling window: where a position's key and value lie in a cache of `context` slots, and which slots it
// sees, when a text goes on past the context. The first sink_tokens positions stay for ever (attention sinks,
// Xiao et al. 2023); the others take turns in a ring. Positions of the rotary embedding keep growing.
//
// Slots are given up a step at a time, before the first position of the step is written. So a batch within a
// step can be computed at once, and once more when it was stopped: what it overwrites is seen by none of it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/ops/kernels.hpp"

namespace pspllm {

inline constexpr std::uint32_t sink_tokens = 4;
/// Half of it and the sinks must leave room to go on.
inline constexpr std::uint32_t smallest_rolling_context = 16;
/// What a step costs is the sight of up to that many old positions.
inline constexpr std::uint32_t largest_eviction_step = 32;

/// Slots that are given up together: an eighth of the window at most.
[[nodiscard]] constexpr std::uint32_t eviction_step(std::uint32_t context) noexcept {
  return std::clamp<std::uint32_t>(context / 8, 1, largest_eviction_step);
}

/// Tokens that are passed again, from position sink_tokens on, when positions have reached their limit.
[[nodiscard]] constexpr std::uint32_t renewed_tokens(std::uint32_t context) noexcept {
  return context / 2;
}

struct Placement {
  std::uint32_t slot = 0;  ///< of the position; those behind it follow
  std::uint32_t room = 0;  ///< positions from this one on that may be passed in one batch
  Range older;  ///< slots behind the batch's own that all of it sees; empty until the window has wrapped
};

/// Below `context` a slot is its position. context: at least smallest_rolling_context where position reaches
/// it.
[[nodiscard]] constexpr Placement placement(std::uint32_t position, std::uint32_t context) noexcept {
  if (position < context) return {position, context - position, {}};
  const std::uint32_t ring = context - sink_tokens;
  const std::uint32_t index = (position - sink_tokens) % ring;
  const std::uint32_t step = eviction_step(context);
  const std::uint32_t step_end = std::min((index / step + 1) * step, ring);
  return {sink_tokens + index, step_end - index, {sink_tokens + step_end, context}};
}

}  // namespace pspllm
