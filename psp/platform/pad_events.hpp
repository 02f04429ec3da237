// From pad samples to presses, releases and auto-repeats. Pure logic.
#pragma once

#include <cstdint>

namespace pspllm::psp {

/// Bits of the pad, as the system numbers them.
enum class Button : std::uint32_t {
  select = 0x0001,
  start = 0x0008,
  up = 0x0010,
  right = 0x0020,
  down = 0x0040,
  left = 0x0080,
  left_trigger = 0x0100,
  right_trigger = 0x0200,
  triangle = 0x1000,
  circle = 0x2000,
  cross = 0x4000,
  square = 0x8000,
};

/// A set of buttons.
struct ButtonSet {
  std::uint32_t bits = 0;

  [[nodiscard]] constexpr bool has(Button button) const {
    return (bits & static_cast<std::uint32_t>(button)) != 0;
  }
  [[nodiscard]] constexpr bool any() const { return bits != 0; }
};

/// One reading.
struct PadSample {
  std::uint64_t time_us = 0;
  ButtonSet held;
  ButtonSet pressed_since_last;  ///< Went down since the previous sample, even if up again by now.
  std::int32_t analog_x = 0;     ///< -128 (left) .. 127 (right).
  std::int32_t analog_y = 0;     ///< -128 (up) .. 127 (down).
};

/// What to react to in this round.
struct PadEvents {
  ButtonSet pressed;   ///< Went down.
  ButtonSet repeated;  ///< Went down, or has been held long enough to fire again.
  ButtonSet released;
  ButtonSet held;
};

/// Time held before a button fires again, and between two further firings, in microseconds.
constexpr std::uint64_t repeat_delay_us = 400'000;
constexpr std::uint64_t repeat_interval_us = 80'000;

/// How far the analog stick must be moved to count as a direction button (of 127).
constexpr std::int32_t analog_threshold = 64;

/// Turns samples into events. The stick counts as up/down/left/right. Only direction and trigger buttons
/// repeat.
class PadTracker {
 public:
  [[nodiscard]] PadEvents update(const PadSample& sample);

 private:
  ButtonSet held_;
  std::uint64_t next_repeat_us_ = 0;
};

}  // namespace pspllm::psp
