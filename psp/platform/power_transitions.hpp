// What a series of the system's power callbacks means. Pure logic.
#pragma once

#include <cstdint>

#include "psp/platform/power.hpp"

namespace pspllm::psp {

/// Counts sleeps and wakes. A console announces a sleep more than once (suspending, then standby), and the
/// end of the wake sometimes only with the next event, so the first sign of either counts, once.
struct PowerTransitions {
  PowerEvents events;
  bool asleep = false;

  /// `flags`: what the system hands to a power callback.
  void update(std::int32_t flags);
};

}  // namespace pspllm::psp
