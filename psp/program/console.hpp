// The console as the program sees it: screen, pad, keyboard, clocks. An interface, so that tests can play a
// person.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "psp/platform/clock.hpp"
#include "psp/platform/keyboard.hpp"
#include "psp/platform/pad_events.hpp"
#include "psp/platform/power.hpp"
#include "psp/platform/time.hpp"
#include "psp/program/cell_screen.hpp"

namespace pspllm::psp {

class Console {
 public:
  /// Draws what changed and waits for the next vertical blank: the pace of an interactive screen.
  virtual void show(CellScreen& screen) = 0;
  /// False while show_now() would wait for the last picture to appear.
  [[nodiscard]] virtual bool can_show_now() = 0;
  /// Draws what changed and returns: for a program that computes.
  virtual void show_now(CellScreen& screen) = 0;

  /// Never waits, loses no press.
  [[nodiscard]] virtual PadSample read_pad() = 0;
  [[nodiscard]] virtual Button confirm_button() = 0;
  [[nodiscard]] virtual Button cancel_button() = 0;
  /// Afterwards both frame buffers hold the keyboard's picture.
  [[nodiscard]] virtual TypedText ask_for_text(std::string_view title, std::string_view initial,
                                               CellScreen& background, std::span<char> into) = 0;

  [[nodiscard]] virtual std::uint64_t now_us() = 0;
  [[nodiscard]] virtual DateTime local_time() = 0;
  [[nodiscard]] virtual Battery battery() = 0;
  [[nodiscard]] virtual PowerEvents power_events() = 0;
  virtual void stay_awake() = 0;
  [[nodiscard]] virtual ClockSpeed clock() = 0;
  virtual Status set_clock(ClockSpeed speed) = 0;
  /// What the system could still give, in bytes.
  [[nodiscard]] virtual std::size_t free_memory() = 0;

  [[nodiscard]] virtual bool exit_requested() = 0;
  /// Acts as if the person chose to leave after HOME.
  virtual void simulate_home() = 0;
  /// A line for whoever listens at the system's standard output.
  virtual void log(std::string_view line) = 0;

 protected:
  ~Console() = default;
};

}  // namespace pspllm::psp
