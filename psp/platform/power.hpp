// Battery, staying awake, sleep and wake.
#pragma once

#include <cstdint>

namespace pspllm::psp {

struct Battery {
  bool present = false;
  bool charging = false;
  bool on_mains = false;
  bool low = false;
  int percent = -1;            ///< 0..100; -1 when the system does not say.
  int remaining_minutes = -1;  ///< -1 when the system does not say (always so on mains).
};

[[nodiscard]] Battery read_battery();

/// Resets the idle timers of sleep and of the backlight. Call it at least every few seconds while generating.
void stay_awake();

/// Counts of what has happened since start_system_callbacks() (exit.hpp). A screen compares with the counts
/// it last saw: after a wake, files must be opened again and the clock set again.
struct PowerEvents {
  std::uint32_t sleeps = 0;
  std::uint32_t wakes = 0;
};

[[nodiscard]] PowerEvents power_events();

}  // namespace pspllm::psp
