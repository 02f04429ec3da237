// How many prompt tokens the console passes at a time.
#pragma once

#include <cstdint>

namespace pspllm {

/// Each layer's weights are read once for so many. The buttons are polled once a layer, so a larger batch
/// would answer later.
inline constexpr std::uint32_t console_prompt_batch = 12;

}  // namespace pspllm
