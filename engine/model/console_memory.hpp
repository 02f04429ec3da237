// What the console's program leaves free of its memory.
#pragma once

#include <cstddef>

namespace pspllm {

/// Left to the system: its keyboard works with 262,144 bytes free (measured in the emulator), and twice that
/// is kept.
inline constexpr std::size_t console_kept_back_bytes = std::size_t{512} * 1024;

}  // namespace pspllm
