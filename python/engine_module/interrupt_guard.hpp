// Ctrl-C while the engine works: as in the command line a request to stop, then KeyboardInterrupt.
#pragma once

#include <csignal>
#include <optional>

#include "host/io/interrupt.hpp"

namespace pspllm::python {

/// While one exists in Python's main thread, SIGINT sets the flag that all long work of the host layer looks
/// at; Python's own handlers are back afterwards. In other threads, where Python never delivers signals, it
/// does nothing. Make and end it with the GIL held.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// Throws host::Interrupted where Ctrl-C came: KeyboardInterrupt in Python.
  void check() const;

 private:
  struct sigaction interrupt_action_ {};
  struct sigaction terminate_action_ {};
  std::optional<host::InterruptScope> scope_;
};

}  // namespace pspllm::python
