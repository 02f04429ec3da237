// One pass of the transformer over a batch of tokens.
#pragma once

#include <cstdint>
#include <span>

#include "engine/core/result.hpp"
#include "engine/model/engine.hpp"

namespace pspllm {

/// Called before every layer, so that a console can poll its pad; gives false to stop the pass.
struct LayerHook {
  void* context = nullptr;
  bool (*before_layer)(void* context, std::uint32_t layer) noexcept = nullptr;
};

/// Which tokens of the batch get logits: the classifier is most of the work of a small model, and prompt
/// tokens need none.
enum class LogitsFor : std::uint8_t { none, last_token, all_tokens };

/// Runs `tokens` (1 … batch) at positions first_position … and writes their keys and values into the cache:
/// positions from the context on take the slots of old ones (engine/model/window.hpp). Logits land in
/// engine.logits, row 0 first. Stopping (interrupted) leaves intact what these tokens see, so the same call
/// can be made again. Tokens must be in [0, vocab_size), no more than placement() has room for, positions
/// below the plan's position_limit.
[[nodiscard]] Status forward(Engine& engine, std::span<const std::int32_t> tokens,
                             std::uint32_t first_position, LogitsFor logits_for,
                             const LayerHook& hook) noexcept;

}  // namespace pspllm
