#include "psp/screens/list_view.hpp"

#include <doctest/doctest.h>

namespace pspllm::psp {
namespace {

PadEvents fresh_press(Button button) {
  PadEvents events;
  events.pressed.bits = events.repeated.bits = static_cast<std::uint32_t>(button);
  return events;
}

PadEvents held(Button button) {
  PadEvents events;
  events.repeated.bits = static_cast<std::uint32_t>(button);
  return events;
}

TEST_CASE("the choice moves, the list follows it, and only a fresh press wraps around") {
  ListView list(5, 2);
  CHECK(list.selected() == 0);
  CHECK(list.end_visible() == 2);
  for (int i = 0; i < 4; ++i) list.handle(held(Button::down));
  CHECK(list.selected() == 4);
  CHECK(list.first_visible() == 3);
  list.handle(held(Button::down));
  CHECK(list.selected() == 4);
  list.handle(fresh_press(Button::down));
  CHECK(list.selected() == 0);
  CHECK(list.first_visible() == 0);
  list.handle(fresh_press(Button::up));
  CHECK(list.selected() == 4);
  list.handle(fresh_press(Button::left_trigger));
  CHECK(list.selected() == 2);
  list.handle(fresh_press(Button::right_trigger));
  list.handle(fresh_press(Button::right_trigger));
  CHECK(list.selected() == 4);
}

TEST_CASE("an empty list, and a first choice beyond the end") {
  ListView empty(0, 3);
  empty.handle(fresh_press(Button::down));
  CHECK(empty.end_visible() == 0);
  CHECK(ListView(3, 2, 9).selected() == 2);
}

}  // namespace
}  // namespace pspllm::psp
