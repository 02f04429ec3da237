#include "psp/platform/power_transitions.hpp"

#include "psp/platform/psp_api.hpp"

namespace pspllm::psp {

void PowerTransitions::update(std::int32_t flags) {
  constexpr std::int32_t falling_asleep = api::power_event_suspending | api::power_event_standby;
  constexpr std::int32_t waking = api::power_event_resuming | api::power_event_resume_complete;
  if ((flags & waking) != 0) {
    if (asleep) ++events.wakes;
    asleep = false;
  } else if ((flags & falling_asleep) != 0) {
    if (!asleep) ++events.sleeps;
    asleep = true;
  }
}

}  // namespace pspllm::psp
