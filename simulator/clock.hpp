#pragma once
// From CPU cycles to modelled time and back, over changes of the clock.
#include "simulator/words.hpp"

namespace pspllm::simulator {

constexpr Picoseconds microsecond = 1'000'000;
constexpr Picoseconds millisecond = 1000 * microsecond;
constexpr Picoseconds second = 1000 * millisecond;
constexpr Picoseconds forever = ~Picoseconds{0};

// The screen refreshes 60000 / 1001 = 59.94 times a second: three frames take 50.05 ms.
constexpr Picoseconds three_frames = 50'050 * microsecond;
[[nodiscard]] constexpr Picoseconds vblank_time(DoubleWord number) {
  return number * three_frames / 3;
}

class Clock {
 public:
  [[nodiscard]] Word cpu_megahertz() const { return cpu_; }
  [[nodiscard]] Word bus_megahertz() const { return bus_; }

  [[nodiscard]] Picoseconds time_at(Cycles cycle) const {
    return base_time_ + (cycle - base_cycle_) * microsecond / cpu_;
  }

  // The first cycle at or after `time`.
  [[nodiscard]] Cycles cycle_at(Picoseconds time) const {
    if (time <= base_time_) return base_cycle_;
    return base_cycle_ + ((time - base_time_) * cpu_ + microsecond - 1) / microsecond;
  }

  // A new clock from `cycle` on; also used with the old values now and then, to keep the numbers small.
  void change(Cycles cycle, Word cpu_megahertz, Word bus_megahertz) {
    base_time_ = time_at(cycle);
    base_cycle_ = cycle;
    cpu_ = cpu_megahertz;
    bus_ = bus_megahertz;
  }

 private:
  Word cpu_ = 222;  // what a program finds (pspautotests power/freq.expected)
  Word bus_ = 111;
  Cycles base_cycle_ = 0;
  Picoseconds base_time_ = 0;
};

}  // namespace pspllm::simulator
