// sceDisplay: the screen.
#include <algorithm>

#include "simulator/kernel.hpp"

namespace pspllm::simulator {

namespace {

constexpr Word lcd_mode = 0;
constexpr Word lines_per_frame = 286;

Word bytes_per_pixel(Word format) {
  return format == 3 ? 4 : 2;
}

void set_mode(Kernel& kernel) {
  const bool right = kernel.argument(0) == lcd_mode && kernel.argument(1) == screen_width &&
                     kernel.argument(2) == screen_height;
  kernel.set_result(right ? result_code::ok : result_code::invalid_mode);
}

// The order of the checks and their results: pspautotests display/setframebuf.expected.
Word frame_buffer_problem(Kernel& kernel, Address address, Word stride, Word format, Word sync) {
  const Display& display = kernel.display;
  if (sync > 1) return result_code::invalid_mode;
  if (address == 0) return result_code::ok;
  const Place place = kernel.memory.find(address);
  if ((address & 15U) != 0 || place.data == nullptr || place.region == Region::scratchpad)
    return result_code::invalid_pointer;
  if (stride == 0 || stride % 64 != 0) return result_code::invalid_size;
  if (format > 3) return result_code::invalid_format;
  const Word present_stride = display.latched ? display.next_stride : display.stride;
  const Word present_format = display.latched ? display.next_format : display.format;
  const bool changes = display.frame_buffer != 0 && (stride != present_stride || format != present_format);
  if (sync == 0 && changes) return result_code::invalid_mode;
  return result_code::ok;
}

void report_stale_lines(Kernel& kernel, Address address, Word stride, Word format) {
  const Address physical = kernel.memory.find(address).physical;
  const Word size = stride * screen_height * bytes_per_pixel(format);
  if (size > vram_bytes) return;
  for (Word line = line_of(physical); line <= line_of(physical + size - 1U); ++line) {
    if (!kernel.core.data_cache.holds_changed(line)) continue;
    kernel.core.hazards.report(HazardKind::stale_frame_buffer, kernel.core.gpr[31] - 8U, line << line_shift);
    return;
  }
}

void set_frame_buffer(Kernel& kernel) {
  const Address address = kernel.argument(0);
  const Word stride = kernel.argument(1);
  const Word format = kernel.argument(2);
  const Word sync = kernel.argument(3);
  const Word problem = frame_buffer_problem(kernel, address, stride, format, sync);
  if (problem != 0) return kernel.set_result(problem);
  Display& display = kernel.display;
  if (address != 0) report_stale_lines(kernel, address, stride, format);
  display.next_frame_buffer = address;
  display.next_stride = stride;
  display.next_format = format;
  display.latched = sync == 1;
  if (sync == 0) {
    display.frame_buffer = address;
    display.stride = stride;
    display.format = format;
  }
  kernel.set_result(result_code::ok);
}

void get_frame_buffer(Kernel& kernel) {
  const Display& display = kernel.display;
  const bool written = kernel.write_word(kernel.argument(0), display.frame_buffer) &&
                       kernel.write_word(kernel.argument(1), display.stride) &&
                       kernel.write_word(kernel.argument(2), display.format);
  kernel.set_result(written ? result_code::ok : result_code::invalid_pointer);
}

void wait_vblank(Kernel& kernel, bool callbacks) {
  Wait wait;
  wait.kind = WaitKind::vblank;
  wait.callbacks = callbacks;
  wait.deadline = vblank_time(kernel.frame() + 1);
  kernel.wait(wait);
}

void wait_vblank_plain(Kernel& kernel) {
  wait_vblank(kernel, false);
}
void wait_vblank_callbacks(Kernel& kernel) {
  wait_vblank(kernel, true);
}

void get_vcount(Kernel& kernel) {
  kernel.set_result(static_cast<Word>(kernel.frame()));
}

// Lines since the program began.
void accumulated_hcount(Kernel& kernel) {
  const Picoseconds into_frame = kernel.now() - vblank_time(kernel.frame());
  const DoubleWord lines =
      kernel.frame() * lines_per_frame + into_frame * lines_per_frame / (three_frames / 3);
  kernel.set_result(static_cast<Word>(lines));
}

// The blank takes 0.73 ms of each frame.
void is_vblank(Kernel& kernel) {
  constexpr Picoseconds blank = 730 * microsecond;
  kernel.set_result(Word{kernel.now() - vblank_time(kernel.frame()) < blank});
}

constexpr std::string_view library = "sceDisplay";

constexpr ServiceEntry entries[] = {
    {library, "sceDisplaySetMode", set_mode},
    {library, "sceDisplaySetFrameBuf", set_frame_buffer},
    {library, "sceDisplayGetFrameBuf", get_frame_buffer},
    {library, "sceDisplayWaitVblankStart", wait_vblank_plain},
    {library, "sceDisplayWaitVblankStartCB", wait_vblank_callbacks},
    {library, "sceDisplayWaitVblank", wait_vblank_plain},
    {library, "sceDisplayWaitVblankCB", wait_vblank_callbacks},
    {library, "sceDisplayGetVcount", get_vcount},
    {library, "sceDisplayGetAccumulatedHcount", accumulated_hcount},
    {library, "sceDisplayIsVblank", is_vblank},
};

struct Colour {
  Byte red = 0;
  Byte green = 0;
  Byte blue = 0;
};

// `value` of `bits` bits stretched to eight.
Byte stretched(Word value, unsigned width) {
  const Word most = (1U << width) - 1U;
  return static_cast<Byte>((value & most) * 255U / most);
}

Colour colour_of(Word pixel, Word format) {
  switch (format) {
    case 0:
      return {stretched(pixel, 5), stretched(pixel >> 5U, 6), stretched(pixel >> 11U, 5)};
    case 1:
      return {stretched(pixel, 5), stretched(pixel >> 5U, 5), stretched(pixel >> 10U, 5)};
    case 2:
      return {stretched(pixel, 4), stretched(pixel >> 4U, 4), stretched(pixel >> 8U, 4)};
    default:
      return {stretched(pixel, 8), stretched(pixel >> 8U, 8), stretched(pixel >> 16U, 8)};
  }
}

}  // namespace

std::span<const ServiceEntry> display_services() {
  return entries;
}

Screenshot Kernel::take_screenshot(const std::string& name) {
  Screenshot shot{name, std::vector<Byte>(std::size_t{screen_width} * screen_height * 3)};
  const Word width = bytes_per_pixel(display.format);
  const std::span<Byte> from = memory.range(display.frame_buffer, display.stride * screen_height * width);
  if (display.frame_buffer == 0 || from.empty()) return shot;
  for (std::size_t y = 0; y < screen_height; ++y) {
    for (std::size_t x = 0; x < std::min(screen_width, display.stride); ++x) {
      const Byte* const pixel = from.data() + (y * display.stride + x) * width;
      const Colour colour =
          colour_of(width == 4 ? load_as<Word>(pixel) : load_as<Half>(pixel), display.format);
      Byte* const to = shot.pixels.data() + (y * screen_width + x) * 3;
      to[0] = colour.red;
      to[1] = colour.green;
      to[2] = colour.blue;
    }
  }
  return shot;
}

}  // namespace pspllm::simulator
