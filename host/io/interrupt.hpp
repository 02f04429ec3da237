// Ctrl-C as a request to stop: long work looks at a flag and ends in order.
#pragma once

#include "engine/core/byte_source.hpp"
#include "engine/model/forward.hpp"

namespace pspllm::host {

/// While one exists, SIGINT and SIGTERM set the flag instead of ending the program; a second one ends it at
/// once. Reads from a terminal are cut short by them.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
};

[[nodiscard]] bool interrupt_requested() noexcept;
/// Forgets a request, so that the next piece of work can run; arms the handlers again.
void clear_interrupt() noexcept;

/// Stops a forward pass between two layers.
[[nodiscard]] LayerHook interrupt_hook() noexcept;
/// Throws Interrupted where the user asked to stop.
void throw_if_interrupted();

}  // namespace pspllm::host
