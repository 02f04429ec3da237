// A token's number.
#pragma once

#include <cstdint>

namespace pspllm {

/// Where a token could stand and none does. Tokens are [0, vocab_size).
inline constexpr std::int32_t no_token = -1;

}  // namespace pspllm
