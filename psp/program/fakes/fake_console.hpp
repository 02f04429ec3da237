// A console played by a script, for tests: presses, typed texts, and looks at the screen, one after the
// other. When the script is over the person leaves.
#pragma once

#include <cstdlib>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "psp/platform/unicode.hpp"
#include "psp/program/console.hpp"

namespace pspllm::psp {

class FakeConsole final : public Console {
 public:
  /// A press on an interactive screen.
  void press(Button button) { script_.push_back({Kind::press, button, {}}); }
  /// A press while the program computes.
  void press_while_busy(Button button) { script_.push_back({Kind::busy_press, button, {}}); }
  /// HOME while the program computes.
  void leave_while_busy() { script_.push_back({Kind::busy_leave, Button::select, {}}); }
  /// What the next keyboard returns; without one it is cancelled.
  void type(std::string text) { typed_.push_back(std::move(text)); }
  /// Looks at the screen that is shown when the script comes here.
  void look(std::function<void(const std::string& screen)> check) {
    script_.push_back({Kind::look, Button::select, std::move(check)});
  }

  /// The screen as 34 lines of text.
  [[nodiscard]] const std::string& screen() const { return screen_; }
  [[nodiscard]] bool script_done() const { return script_.empty(); }

  std::vector<std::string> log_lines;
  std::vector<std::string> keyboard_initials;  // what each keyboard began with
  ButtonSet held_at_start;
  ClockSpeed clock_speed{222, 111};
  PowerEvents events;
  std::uint64_t time_us = 1'000'000;
  std::size_t frames = 0;
  int stay_awake_calls = 0;
  bool leaving = false;
  DateTime date{2026, 5, 4, 3, 2, 1};

  void show(CellScreen& cells) override {
    show_now(cells);
    interactive_ = true;
    busy_ = false;
    while (!script_.empty() && script_.front().kind == Kind::look) {
      const auto check = script_.front().check;
      script_.pop_front();
      check(screen_);
    }
    // A script that waits for what never comes does not wait for ever; script_done() tells.
    if (script_.empty() || frames > most_frames) leaving = true;
  }
  bool can_show_now() override { return true; }
  void show_now(CellScreen& cells) override {
    ++frames;
    time_us += frame_us;
    busy_ = true;
    screen_.clear();
    for (int row = 0; row < text_rows; ++row) {
      for (int column = 0; column < text_columns; ++column) {
        char bytes[4];
        screen_.append(bytes, encode_utf8(cells.cell(column, row).code_point(), bytes));
      }
      screen_ += '\n';
    }
  }

  PadSample read_pad() override {
    PadSample sample;
    time_us += poll_us;
    sample.time_us = time_us;
    if (frames == 0) sample.held = held_at_start;
    if (script_.empty()) return sample;
    if (busy_ && script_.front().kind == Kind::busy_leave) {
      script_.pop_front();
      leaving = true;
      return sample;
    }
    const bool matches = (interactive_ && script_.front().kind == Kind::press) ||
                         (busy_ && script_.front().kind == Kind::busy_press);
    interactive_ = false;
    busy_ = false;
    if (!matches) return sample;
    sample.pressed_since_last.bits = static_cast<std::uint32_t>(script_.front().button);
    script_.pop_front();
    return sample;
  }
  Button confirm_button() override { return Button::cross; }
  Button cancel_button() override { return Button::circle; }
  TypedText ask_for_text(std::string_view, std::string_view initial, CellScreen&,
                         std::span<char> into) override {
    keyboard_initials.emplace_back(initial);
    TypedText result;
    result.outcome = TypedOutcome::cancelled;
    if (typed_.empty()) return result;
    result.outcome = TypedOutcome::confirmed;
    result.bytes = std::min(typed_.front().size(), into.size());
    std::copy_n(typed_.front().begin(), result.bytes, into.begin());
    typed_.pop_front();
    return result;
  }

  std::uint64_t now_us() override { return ++time_us; }
  DateTime local_time() override { return date; }
  Battery battery() override {
    Battery battery;
    battery.present = true;
    battery.percent = 85;
    return battery;
  }
  PowerEvents power_events() override { return events; }
  void stay_awake() override { ++stay_awake_calls; }
  ClockSpeed clock() override { return clock_speed; }
  Status set_clock(ClockSpeed speed) override {
    clock_speed = speed;
    return {};
  }
  std::size_t free_memory() override { return 700'000; }
  bool exit_requested() override { return leaving; }
  void simulate_home() override { leaving = true; }
  void log(std::string_view line) override { log_lines.emplace_back(line); }

 private:
  enum class Kind { press, busy_press, busy_leave, look };
  struct Action {
    Kind kind;
    Button button;
    std::function<void(const std::string&)> check;
  };

  static constexpr std::size_t most_frames = 200'000;
  static constexpr std::uint64_t frame_us = 16'667;
  static constexpr std::uint64_t poll_us = 100;

  std::deque<Action> script_;
  std::deque<std::string> typed_;
  std::string screen_;
  bool interactive_ = false;
  bool busy_ = false;
};

}  // namespace pspllm::psp
