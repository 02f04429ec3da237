#include "psp/platform/pad.hpp"

#include "psp/platform/psp_api.hpp"
#include "psp/platform/time.hpp"

namespace pspllm::psp {
namespace {

constexpr std::int32_t sample_every_vblank = 0;
constexpr std::int32_t analog_middle = 128;

}  // namespace

void start_pad() {
  sceCtrlSetSamplingCycle(sample_every_vblank);
  sceCtrlSetSamplingMode(api::pad_mode_analog);
  api::PadLatch stale{};
  sceCtrlReadLatch(&stale);  // what was pressed before the program began is not for it
}

PadSample read_pad() {
  api::PadData data{};
  data.analog_x = data.analog_y = analog_middle;
  sceCtrlPeekBufferPositive(&data, 1);
  api::PadLatch latch{};
  sceCtrlReadLatch(&latch);
  PadSample sample;
  sample.time_us = now_us();
  sample.held.bits = data.buttons;
  sample.pressed_since_last.bits = latch.went_down;
  sample.analog_x = data.analog_x - analog_middle;
  sample.analog_y = data.analog_y - analog_middle;
  return sample;
}

}  // namespace pspllm::psp
