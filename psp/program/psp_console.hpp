// The Console that a person holds.
#pragma once

#include "psp/platform/display.hpp"
#include "psp/program/console.hpp"

namespace pspllm::psp {

class PspConsole final : public Console {
 public:
  /// Starts the display and the pad.
  void start();

  void show(CellScreen& screen) override;
  [[nodiscard]] bool can_show_now() override { return display_.ready(); }
  void show_now(CellScreen& screen) override;

  [[nodiscard]] PadSample read_pad() override;
  [[nodiscard]] Button confirm_button() override { return confirm_; }
  [[nodiscard]] Button cancel_button() override { return cancel_; }
  [[nodiscard]] TypedText ask_for_text(std::string_view title, std::string_view initial,
                                       CellScreen& background, std::span<char> into) override;

  [[nodiscard]] std::uint64_t now_us() override;
  [[nodiscard]] DateTime local_time() override;
  [[nodiscard]] Battery battery() override;
  [[nodiscard]] PowerEvents power_events() override;
  void stay_awake() override;
  [[nodiscard]] ClockSpeed clock() override;
  Status set_clock(ClockSpeed speed) override;
  [[nodiscard]] std::size_t free_memory() override;

  [[nodiscard]] bool exit_requested() override;
  void simulate_home() override;
  void log(std::string_view line) override;

 private:
  Display display_;
  Button confirm_ = Button::cross;
  Button cancel_ = Button::circle;
};

}  // namespace pspllm::psp
