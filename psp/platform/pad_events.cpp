#include "psp/platform/pad_events.hpp"

namespace pspllm::psp {
namespace {

constexpr std::uint32_t bit(Button button) {
  return static_cast<std::uint32_t>(button);
}

constexpr std::uint32_t repeating_buttons = bit(Button::up) | bit(Button::down) | bit(Button::left) |
                                            bit(Button::right) | bit(Button::left_trigger) |
                                            bit(Button::right_trigger);

std::uint32_t analog_as_buttons(const PadSample& sample) {
  std::uint32_t bits = 0;
  if (sample.analog_x <= -analog_threshold) bits |= bit(Button::left);
  if (sample.analog_x >= analog_threshold) bits |= bit(Button::right);
  if (sample.analog_y <= -analog_threshold) bits |= bit(Button::up);
  if (sample.analog_y >= analog_threshold) bits |= bit(Button::down);
  return bits;
}

}  // namespace

PadEvents PadTracker::update(const PadSample& sample) {
  const std::uint32_t before = held_.bits;
  const std::uint32_t held = sample.held.bits | analog_as_buttons(sample);
  PadEvents events;
  events.held.bits = held;
  events.pressed.bits = sample.pressed_since_last.bits | (held & ~before);
  events.released.bits = (before | events.pressed.bits) & ~held;
  events.repeated.bits = events.pressed.bits;

  const std::uint32_t repeating = held & repeating_buttons;
  if ((events.pressed.bits & repeating_buttons) != 0) {
    next_repeat_us_ = sample.time_us + repeat_delay_us;
  } else if (repeating != 0 && sample.time_us >= next_repeat_us_) {
    events.repeated.bits |= repeating;
    next_repeat_us_ = sample.time_us + repeat_interval_us;
  }
  held_.bits = held;
  return events;
}

}  // namespace pspllm::psp
