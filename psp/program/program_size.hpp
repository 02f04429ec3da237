// How much memory the program itself takes.
#pragma once

#include <cstdint>

#include "psp/platform/program.hpp"

// Defined by the linker script: first byte of the code, first byte behind the zeroed data.
extern "C" {
extern char __program_begin[];  // NOLINT(bugprone-reserved-identifier)
extern char __program_end[];    // NOLINT(bugprone-reserved-identifier)
}

namespace pspllm::psp {

/// Code, data and the main thread's stack, in bytes.
[[nodiscard]] inline std::uint64_t program_bytes() {
  const auto begin = reinterpret_cast<std::uintptr_t>(__program_begin);
  const auto end = reinterpret_cast<std::uintptr_t>(__program_end);
  return end - begin + main_stack_bytes;
}

}  // namespace pspllm::psp
