// A list with one chosen line that the pad moves through: models, menus, earlier prompts, settings.
#pragma once

#include <cstddef>

#include "psp/platform/pad_events.hpp"

namespace pspllm::psp {

class ListView {
 public:
  /// `visible` lines are on the screen at a time.
  ListView(std::size_t count, std::size_t visible, std::size_t selected = 0);

  /// Up and down move by one and wrap around on a fresh press; L and R move by a screen.
  void handle(const PadEvents& events);

  [[nodiscard]] std::size_t selected() const { return selected_; }
  [[nodiscard]] std::size_t first_visible() const { return first_; }
  /// Behind the last line on the screen.
  [[nodiscard]] std::size_t end_visible() const;
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  void move_to(std::size_t index);

  std::size_t count_;
  std::size_t visible_;
  std::size_t selected_ = 0;
  std::size_t first_ = 0;
};

}  // namespace pspllm::psp
