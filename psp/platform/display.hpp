// The screen: 480 x 272 pixels, two buffers in video memory, swapped at the vertical blank, so nothing
// flickers.
#pragma once

#include <cstdint>

namespace pspllm::psp {

constexpr int screen_width = 480;   ///< Pixels.
constexpr int screen_height = 272;  ///< Pixels.
constexpr int surface_stride =
    512;  ///< Pixels from one line to the next; the hardware wants a multiple of 64.

/// 16 bits a pixel, the hardware's format 5650: red in bits 0-4, green in 5-10, blue in 11-15. Half the bytes
/// of 8888, and a whole screen of text takes a quarter of the time (measured: 0.93 ms against 3.7).
using Pixel = std::uint16_t;

[[nodiscard]] constexpr Pixel rgb(unsigned red, unsigned green, unsigned blue) {
  return static_cast<Pixel>((red & 0xFFU) >> 3U | ((green & 0xFFU) >> 2U) << 5U |
                            ((blue & 0xFFU) >> 3U) << 11U);
}

/// Something to draw on. Pixel (x, y) is pixels[y * surface_stride + x].
struct Surface {
  Pixel* pixels = nullptr;  // [screen_height, surface_stride], 64-byte aligned
};

/// The two buffers. One object in the program; not copyable because it stands for the one screen.
///
///   Surface back = display.begin_frame();   // waits only while the last swap is still to come
///   ... draw everything that differs from what this buffer last held (two frames ago) ...
///   display.end_frame();                    // returns at once; the swap happens at the next vertical blank
class Display {
 public:
  Display() = default;
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;

  /// Sets the mode, clears both buffers to black and shows the first.
  void start();

  /// True when begin_frame() would not wait: what a busy program asks, to skip drawing rather than wait.
  [[nodiscard]] bool ready() const;

  /// The buffer that is not shown.
  [[nodiscard]] Surface begin_frame();

  /// Shows that buffer from the next vertical blank on.
  void end_frame();

  /// Which buffer begin_frame() gives (0 or 1): to remember what each still holds.
  [[nodiscard]] int back_index() const { return back_index_; }

  /// Sleeps until the next vertical blank (60 a second): the pace of an interactive screen.
  static void wait_vblank();

  /// Vertical blanks since the console started.
  [[nodiscard]] static std::uint32_t vblank_count();

 private:
  int back_index_ = 1;
  bool swap_pending_ = false;
  std::uint32_t swap_requested_at_ = 0;
};

}  // namespace pspllm::psp
