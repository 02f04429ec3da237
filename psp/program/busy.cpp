#include "psp/program/busy.hpp"

#include "psp/program/interaction.hpp"
#include "psp/screens/text_screen.hpp"

namespace pspllm::psp {
namespace {

/// The shortest time after which a console switches its backlight down is a minute.
constexpr std::uint64_t stay_awake_interval_us = 2'000'000;

bool before_layer(void* context, std::uint32_t /*layer*/) noexcept {
  auto& state = *static_cast<ProgramState*>(context);
  const bool goes_on = keep_computing(state);
  refresh_text_while_busy(state);
  return goes_on;
}

std::uint64_t now_of_console(void* context) {
  return static_cast<ProgramState*>(context)->console.now_us();
}

}  // namespace

void begin_busy(ProgramState& state) {
  state.busy.stop = false;
  drop_presses(state);
}

bool keep_computing(ProgramState& state) {
  const PadEvents events = state.pad.update(state.console.read_pad());
  if (events.pressed.has(Button::circle)) state.busy.stop = true;
  scroll_text(state, events);
  notice_wake(state);
  const std::uint64_t now_us = state.console.now_us();
  if (now_us - state.busy.last_stay_awake_us >= stay_awake_interval_us) {
    state.busy.last_stay_awake_us = now_us;
    state.console.stay_awake();
  }
  return !state.busy.stop && !state.console.exit_requested();
}

LayerHook layer_hook(ProgramState& state) {
  return {&state, before_layer};
}

TimeSource time_source(ProgramState& state) {
  return {&state, now_of_console};
}

}  // namespace pspllm::psp
