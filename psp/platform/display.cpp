#include "psp/platform/display.hpp"

#include "psp/platform/drawing.hpp"
#include "psp/platform/psp_api.hpp"

namespace pspllm::psp {
namespace {

/// Video memory through the uncached window: the processor's cache does not see what the display reads.
constexpr std::uintptr_t uncached_video_memory = 0x44000000;
constexpr std::uintptr_t buffer_bytes = std::uintptr_t{surface_stride} * screen_height * sizeof(Pixel);

Surface buffer(int index) {
  const std::uintptr_t address = uncached_video_memory + static_cast<std::uintptr_t>(index) * buffer_bytes;
  return {reinterpret_cast<Pixel*>(address)};  // NOLINT(performance-no-int-to-ptr): the hardware's address
}

void show(int index) {
  sceDisplaySetFrameBuf(buffer(index).pixels, surface_stride, api::pixel_format_5650, api::swap_at_vblank);
}

}  // namespace

void Display::start() {
  for (int index = 0; index < 2; ++index)
    fill_rectangle(buffer(index), 0, 0, screen_width, screen_height, rgb(0, 0, 0));
  sceDisplaySetMode(api::display_mode_lcd, screen_width, screen_height);
  show(0);
  wait_vblank();
  back_index_ = 1;
  swap_pending_ = false;
}

bool Display::ready() const {
  return !swap_pending_ || vblank_count() != swap_requested_at_;
}

Surface Display::begin_frame() {
  while (!ready()) wait_vblank();
  swap_pending_ = false;
  return buffer(back_index_);
}

void Display::end_frame() {
  show(back_index_);
  // Counted after the request: a blank in between only makes begin_frame() wait one blank too long, never too
  // short.
  swap_requested_at_ = vblank_count();
  swap_pending_ = true;
  back_index_ ^= 1;
}

void Display::wait_vblank() {
  sceDisplayWaitVblankStart();
}

std::uint32_t Display::vblank_count() {
  return sceDisplayGetVcount();
}

}  // namespace pspllm::psp
