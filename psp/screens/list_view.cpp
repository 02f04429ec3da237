#include "psp/screens/list_view.hpp"

#include <algorithm>

namespace pspllm::psp {

ListView::ListView(std::size_t count, std::size_t visible, std::size_t selected)
    : count_(count), visible_(visible) {
  if (count != 0) move_to(std::min(selected, count - 1));
}

void ListView::handle(const PadEvents& events) {
  if (count_ == 0) return;
  const std::size_t last = count_ - 1;
  if (events.repeated.has(Button::down)) {
    if (selected_ < last) {
      move_to(selected_ + 1);
    } else if (events.pressed.has(Button::down)) {
      move_to(0);
    }
  }
  if (events.repeated.has(Button::up)) {
    if (selected_ > 0) {
      move_to(selected_ - 1);
    } else if (events.pressed.has(Button::up)) {
      move_to(last);
    }
  }
  if (events.repeated.has(Button::right_trigger)) move_to(std::min(selected_ + visible_, last));
  if (events.repeated.has(Button::left_trigger)) move_to(selected_ - std::min(selected_, visible_));
}

std::size_t ListView::end_visible() const {
  return std::min(first_ + visible_, count_);
}

void ListView::move_to(std::size_t index) {
  selected_ = index;
  if (selected_ < first_) first_ = selected_;
  if (selected_ >= first_ + visible_) first_ = selected_ + 1 - visible_;
}

}  // namespace pspllm::psp
