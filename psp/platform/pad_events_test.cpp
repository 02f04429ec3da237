#include "psp/platform/pad_events.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

using namespace pspllm::psp;

namespace {

ButtonSet set_of(std::initializer_list<Button> buttons) {
  ButtonSet set;
  for (const Button button : buttons) set.bits |= static_cast<std::uint32_t>(button);
  return set;
}

PadSample sample_at(std::uint64_t time_us, ButtonSet held, ButtonSet latched = {}) {
  PadSample sample;
  sample.time_us = time_us;
  sample.held = held;
  sample.pressed_since_last = latched;
  return sample;
}

}  // namespace

TEST_CASE("A press is one event, a release another") {
  PadTracker tracker;
  CHECK(tracker.update(sample_at(0, set_of({Button::cross}))).pressed.has(Button::cross));
  const PadEvents second = tracker.update(sample_at(10'000, set_of({Button::cross})));
  CHECK_FALSE(second.pressed.any());
  CHECK(second.held.has(Button::cross));
  CHECK(tracker.update(sample_at(20'000, {})).released.has(Button::cross));
}

TEST_CASE("A press between two polls is not lost") {
  PadTracker tracker;
  const PadEvents events = tracker.update(sample_at(0, {}, set_of({Button::circle})));
  CHECK(events.pressed.has(Button::circle));
  CHECK(events.released.has(Button::circle));
  CHECK_FALSE(events.held.any());
  CHECK_FALSE(tracker.update(sample_at(1, {})).pressed.any());
}

TEST_CASE("A button let go and pressed again between two polls is a second press") {
  PadTracker tracker;
  (void)tracker.update(sample_at(0, set_of({Button::cross})));
  CHECK(tracker.update(sample_at(100, set_of({Button::cross}), set_of({Button::cross})))
            .pressed.has(Button::cross));
}

TEST_CASE("Directions repeat after a delay, then at an interval; other buttons never") {
  PadTracker tracker;
  const ButtonSet held = set_of({Button::down, Button::cross});
  std::uint64_t fired = 0;
  std::uint64_t crosses = 0;
  for (std::uint64_t time = 0; time <= repeat_delay_us + 5 * repeat_interval_us; time += 10'000) {
    const PadEvents events = tracker.update(sample_at(time, held));
    if (events.repeated.has(Button::down)) ++fired;
    if (events.repeated.has(Button::cross)) ++crosses;
  }
  CHECK(fired == 1 + 6);
  CHECK(crosses == 1);
}

TEST_CASE("A new direction starts the delay anew") {
  PadTracker tracker;
  (void)tracker.update(sample_at(0, set_of({Button::down})));
  (void)tracker.update(sample_at(repeat_delay_us - 1, set_of({Button::up})));
  CHECK_FALSE(tracker.update(sample_at(repeat_delay_us + 1, set_of({Button::up}))).repeated.any());
}

TEST_CASE("The analog stick is four more buttons beyond its threshold") {
  PadTracker tracker;
  PadSample sample;
  sample.analog_y = analog_threshold - 1;
  CHECK_FALSE(tracker.update(sample).pressed.any());
  sample.analog_y = analog_threshold;
  sample.analog_x = -128;
  const PadEvents events = tracker.update(sample);
  CHECK(events.pressed.has(Button::down));
  CHECK(events.pressed.has(Button::left));
}
