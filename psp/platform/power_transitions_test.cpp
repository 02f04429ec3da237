#include "psp/platform/power_transitions.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

using namespace pspllm::psp;

TEST_CASE("A sleep announced twice and a wake announced twice count once") {
  PowerTransitions transitions;
  for (const std::int32_t flags : {0x00010000, 0x00080000, 0x00020000, 0x00040000}) transitions.update(flags);
  CHECK(transitions.events.sleeps == 1);
  CHECK(transitions.events.wakes == 1);
  transitions.update(0x00010000);
  CHECK(transitions.asleep);
  transitions.update(0x00040080);  // the end of the wake, with the battery bit
  CHECK(transitions.events.sleeps == 2);
  CHECK(transitions.events.wakes == 2);
}

TEST_CASE("Battery and mains events are neither sleep nor wake") {
  PowerTransitions transitions;
  transitions.update(0x000010FF);
  CHECK(transitions.events.sleeps == 0);
  CHECK(transitions.events.wakes == 0);
}
