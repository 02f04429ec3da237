// Threads, with the floating-point unit set so that arithmetic never traps.
#pragma once

#include <cstddef>

#include "psp/platform/status.hpp"

namespace pspllm::psp {

/// Smaller numbers run first. The system's own threads use 16 to 19.
constexpr int main_thread_priority = 32;
constexpr int callback_thread_priority = 17;

/// Clears FCR31: round to nearest, denormals kept, no traps. A thread starts with traps on overflow, division
/// by zero and invalid operations (allegrex.md 1.3), so every thread calls this first; start_thread() does.
void disable_fpu_exceptions();

/// Starts a thread with the VFPU attribute that runs entry(argument) and then removes itself.
[[nodiscard]] Status start_thread(const char* name, int priority, std::size_t stack_bytes,
                                  void (*entry)(void*), void* argument);

}  // namespace pspllm::psp
