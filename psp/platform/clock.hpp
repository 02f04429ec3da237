// The processor's clock.
#pragma once

#include "psp/platform/status.hpp"

namespace pspllm::psp {

/// In MHz. The system's own default is 222 / 111.
struct ClockSpeed {
  int cpu = 0;
  int bus = 0;
};

constexpr ClockSpeed full_speed{333, 166};

/// Sets PLL = CPU = `speed.cpu` and the bus, then reads back; a firmware that sets something else is a
/// failure.
[[nodiscard]] Status set_clock(ClockSpeed speed);

[[nodiscard]] ClockSpeed read_clock();

}  // namespace pspllm::psp
