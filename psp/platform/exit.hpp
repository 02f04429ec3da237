// HOME and the system's callbacks. A thread of its own, with a better priority than the program's, so that
// HOME is honoured at once even while the program computes.
#pragma once

#include "psp/platform/status.hpp"

namespace pspllm::psp {

/// Starts the callback thread (exit and power). The start-up code has done so before run_program().
[[nodiscard]] Status start_system_callbacks();

/// True from the moment the person chose to leave. Readable at any time from any thread; costs one load. The
/// callback thread ends the program by itself, so a loop that never asks is left all the same.
[[nodiscard]] bool exit_requested();

/// While one of these lives, HOME waits for it (at most exit_grace_us): put it around saving a file.
class ExitGuard {
 public:
  ExitGuard();
  ~ExitGuard();
  ExitGuard(const ExitGuard&) = delete;
  ExitGuard& operator=(const ExitGuard&) = delete;
};

/// Longest time that HOME waits for guards, in microseconds.
constexpr unsigned exit_grace_us = 2'000'000;

/// Leaves to the system's menu at once.
[[noreturn]] void leave_program();

/// Does what choosing "exit" after HOME does. For tests: an emulator without a HOME button runs this instead.
void simulate_home();

}  // namespace pspllm::psp
