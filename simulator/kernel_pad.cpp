// sceCtrl: the buttons and the stick, sampled at every vblank.
#include "simulator/kernel.hpp"

namespace pspllm::simulator {

namespace {

constexpr Word most_samples = 64;

void set_sampling_mode(Kernel& kernel) {
  if (kernel.argument(0) > 1) return kernel.set_result(result_code::invalid_mode);
  kernel.set_result(kernel.pad.mode);
  kernel.pad.mode = kernel.argument(0);
}

void set_sampling_cycle(Kernel& kernel) {
  constexpr Word shortest = 5555;
  constexpr Word longest = 20000;
  const Word cycle = kernel.argument(0);
  if (cycle != 0 && (cycle < shortest || cycle > longest))
    return kernel.set_result(result_code::out_of_range);
  kernel.set_result(kernel.pad.cycle);
  kernel.pad.cycle = cycle;
}

void get_sampling_mode(Kernel& kernel) {
  kernel.set_result(kernel.write_word(kernel.argument(0), kernel.pad.mode) ? result_code::ok
                                                                           : result_code::invalid_pointer);
}

// Waits for a sample that has not been read yet.
void read(Kernel& kernel) {
  const Address address = kernel.argument(0);
  const Word count = kernel.argument(1);
  if (count == 0 || count > most_samples) return kernel.set_result(result_code::invalid_size);
  if (kernel.memory.range(address, 16).empty()) return kernel.set_result(result_code::invalid_pointer);
  if (kernel.pad.frame_read < kernel.frame()) {
    kernel.write_pad_sample(address);
    return kernel.set_result(1);
  }
  Wait wait;
  wait.kind = WaitKind::pad;
  wait.id = address;
  wait.deadline = vblank_time(kernel.frame() + 1);
  wait.timeout_result = 1;
  kernel.wait(wait);
}

void peek(Kernel& kernel) {
  const Address address = kernel.argument(0);
  const Word count = kernel.argument(1);
  if (count == 0 || count > most_samples) return kernel.set_result(result_code::invalid_size);
  if (kernel.memory.range(address, 16).empty()) return kernel.set_result(result_code::invalid_pointer);
  const DoubleWord frame_read = kernel.pad.frame_read;
  kernel.write_pad_sample(address);
  kernel.pad.frame_read = frame_read;
  kernel.set_result(1);
}

bool write_latch(Kernel& kernel) {
  const PadLatch& latch = kernel.pad.latch;
  const Address to = kernel.argument(0);
  return kernel.write_word(to, latch.made) && kernel.write_word(to + 4, latch.broken) &&
         kernel.write_word(to + 8, latch.pressed) && kernel.write_word(to + 12, latch.released);
}

void peek_latch(Kernel& kernel) {
  kernel.set_result(write_latch(kernel) ? kernel.pad.latch.frames : result_code::invalid_pointer);
}

void read_latch(Kernel& kernel) {
  if (!write_latch(kernel)) return kernel.set_result(result_code::invalid_pointer);
  kernel.set_result(kernel.pad.latch.frames);
  kernel.pad.latch = {};
}

constexpr std::string_view library = "sceCtrl";

constexpr ServiceEntry entries[] = {
    {library, "sceCtrlSetSamplingMode", set_sampling_mode},
    {library, "sceCtrlGetSamplingMode", get_sampling_mode},
    {library, "sceCtrlSetSamplingCycle", set_sampling_cycle},
    {library, "sceCtrlReadBufferPositive", read},
    {library, "sceCtrlPeekBufferPositive", peek},
    {library, "sceCtrlReadLatch", read_latch},
    {library, "sceCtrlPeekLatch", peek_latch},
};

}  // namespace

std::span<const ServiceEntry> pad_services() {
  return entries;
}

// SceCtrlData: time stamp in microseconds, buttons, x, y, six bytes of nothing.
void Kernel::write_pad_sample(Address address) {
  const bool analog = pad.mode == 1;
  const Word x = analog ? pad.x : 128U;
  const Word y = analog ? pad.y : 128U;
  (void)write_word(address, static_cast<Word>(now() / microsecond));
  (void)write_word(address + 4, pad.buttons);
  (void)write_word(address + 8, x | y << 8U);
  (void)write_word(address + 12, 0);
  pad.frame_read = frame_;
}

void Kernel::sample_pad() {
  PadLatch& latch = pad.latch;
  latch.made |= pad.buttons & ~pad.last_buttons;
  latch.broken |= pad.last_buttons & ~pad.buttons;
  latch.pressed |= pad.buttons;
  latch.released |= ~pad.buttons;
  ++latch.frames;
  pad.last_buttons = pad.buttons;
}

}  // namespace pspllm::simulator
