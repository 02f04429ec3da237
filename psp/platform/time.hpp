// Time since start, and the calendar.
#pragma once

#include <cstdint>

namespace pspllm::psp {

/// Microseconds since the console started; never goes back.
[[nodiscard]] std::uint64_t now_us();

struct DateTime {
  int year = 0;
  int month = 0;  ///< 1..12
  int day = 0;    ///< 1..31
  int hour = 0;
  int minute = 0;
  int second = 0;
};

/// The console's local time; all zero when its clock cannot be read.
[[nodiscard]] DateTime local_time();

/// Gives the processor to others for this long.
void sleep_us(std::uint32_t microseconds);

}  // namespace pspllm::psp
