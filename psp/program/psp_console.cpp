#include "psp/program/psp_console.hpp"

#include "psp/platform/exit.hpp"
#include "psp/platform/log.hpp"
#include "psp/platform/memory_block.hpp"
#include "psp/platform/pad.hpp"
#include "psp/platform/system_settings.hpp"

namespace pspllm::psp {
namespace {

struct Background {
  CellScreen& screen;
  Display& display;
};

/// Behind the keyboard stands the screen that asked for it. The keyboard draws over it, so every cell is
/// drawn again.
void draw_background(Surface surface, void* context) {
  const auto& background = *static_cast<Background*>(context);
  background.screen.forget_buffers();
  background.screen.draw(surface, background.display.back_index());
}

}  // namespace

void PspConsole::start() {
  display_.start();
  start_pad();
  confirm_ = psp::confirm_button();
  cancel_ = psp::cancel_button();
}

void PspConsole::show(CellScreen& screen) {
  show_now(screen);
  Display::wait_vblank();
}

void PspConsole::show_now(CellScreen& screen) {
  const Surface surface = display_.begin_frame();
  screen.draw(surface, display_.back_index());
  display_.end_frame();
}

PadSample PspConsole::read_pad() {
  return psp::read_pad();
}

TypedText PspConsole::ask_for_text(std::string_view title, std::string_view initial, CellScreen& background,
                                   std::span<char> into) {
  Background context{background, display_};
  KeyboardRequest request;
  request.title = title;
  request.initial_text = initial;
  request.draw_background = draw_background;
  request.context = &context;
  return psp::ask_for_text(display_, request, into);
}

std::uint64_t PspConsole::now_us() {
  return psp::now_us();
}

DateTime PspConsole::local_time() {
  return psp::local_time();
}

Battery PspConsole::battery() {
  return read_battery();
}

PowerEvents PspConsole::power_events() {
  return psp::power_events();
}

void PspConsole::stay_awake() {
  psp::stay_awake();
}

ClockSpeed PspConsole::clock() {
  return read_clock();
}

Status PspConsole::set_clock(ClockSpeed speed) {
  return psp::set_clock(speed);
}

std::size_t PspConsole::free_memory() {
  return total_free_memory();
}

bool PspConsole::exit_requested() {
  return psp::exit_requested();
}

void PspConsole::simulate_home() {
  psp::simulate_home();
}

void PspConsole::log(std::string_view line) {
  log_line(line);
}

}  // namespace pspllm::psp
