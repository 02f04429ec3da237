#include "psp/platform/keyboard.hpp"

#include <array>
#include <cstdint>

#include "psp/platform/drawing.hpp"
#include "psp/platform/pad.hpp"
#include "psp/platform/power.hpp"
#include "psp/platform/psp_api.hpp"
#include "psp/platform/system_settings.hpp"
#include "psp/platform/unicode.hpp"

namespace pspllm::psp {
namespace {

constexpr std::size_t max_title_units = 64;

/// Priorities of the dialog's own threads, as every program gives them.
constexpr std::int32_t graphics_priority = 17;
constexpr std::int32_t access_priority = 19;
constexpr std::int32_t font_priority = 18;
constexpr std::int32_t sound_priority = 16;

/// The dialog opens within a second; much longer means that it never will (it waits for the volatile memory).
constexpr int max_frames_to_open = 600;

/// UTF-16 text with room for its terminator.
template <std::size_t units>
using WideText = std::array<char16_t, units + 1>;

/// Everything that the dialog reads and writes while it is open. Static: the system keeps pointers into it.
struct KeyboardState {
  WideText<max_title_units> title;
  WideText<max_typed_units> initial;
  WideText<max_typed_units> typed;
  api::KeyboardField field;
  api::KeyboardParameters parameters;
};
KeyboardState state;

template <std::size_t size>
void fill_wide(std::array<char16_t, size>& into, std::string_view utf8) {
  const Conversion done = utf8_to_utf16(utf8, std::span(into).first(size - 1));
  into[done.written] = 0;
}

void prepare(const KeyboardRequest& request) {
  fill_wide(state.title, request.title);
  fill_wide(state.initial, request.initial_text);
  state.typed = state.initial;  // "unchanged" leaves it so
  state.field = {};
  state.field.lines = 1;
  state.field.description = state.title.data();
  state.field.initial_text = state.initial.data();
  state.field.output = state.typed.data();
  state.field.output_units = max_typed_units + 1;
  state.field.limit_units = max_typed_units;
  state.parameters = {};
  api::DialogHeader& header = state.parameters.header;
  header.size = sizeof(state.parameters);
  header.language = system_language();
  header.button_swap = confirm_button() == Button::circle ? 0 : 1;
  header.graphics_priority = graphics_priority;
  header.access_priority = access_priority;
  header.font_priority = font_priority;
  header.sound_priority = sound_priority;
  state.parameters.field_count = 1;
  state.parameters.fields = &state.field;
}

/// Points the graphics engine, with which the dialog draws, at the back buffer.
void aim_graphics_engine(Surface back) {
  constexpr std::uint32_t last_pixel =
      static_cast<std::uint32_t>((screen_height - 1) << 10 | (screen_width - 1));
  const auto address =
      static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(back.pixels)) & 0x0FFFFFFFU;
  alignas(64) static std::array<std::uint32_t, 16> list;
  list = {
      0x9C000000U | (address & 0x00FFFFFFU),                   // frame buffer address, low 24 bits
      0x9D000000U | (address >> 24U << 16U) | surface_stride,  // high 8 bits, stride
      0xD2000000U | api::pixel_format_5650,                    // format
      0x15000000U,
      0x16000000U | last_pixel,  // drawing region
      0xD4000000U,
      0xD5000000U | last_pixel,  // scissor
      0x0F000000U,
      0x0C000000U,  // finish, end
  };
  sceKernelDcacheWritebackRange(list.data(), sizeof(list));
  sceGeListEnQueue(list.data(), nullptr, -1, nullptr);
  sceGeDrawSync(0);
}

void draw_background(const KeyboardRequest& request, Surface back) {
  if (request.draw_background != nullptr) {
    request.draw_background(back, request.context);
  } else {
    fill_rectangle(back, 0, 0, screen_width, screen_height, rgb(0, 0, 0));
  }
}

/// Runs the open dialog to its end; not ok when it never opened or an update failed.
Status run_dialog(Display& display, const KeyboardRequest& request) {
  int frames_waited = 0;
  for (;;) {
    const Surface back = display.begin_frame();
    draw_background(request, back);
    aim_graphics_engine(back);
    const std::int32_t dialog = sceUtilityOskGetStatus();
    std::int32_t code = 0;
    if (dialog == api::dialog_running) code = sceUtilityOskUpdate(1);
    if (dialog == api::dialog_finished) code = sceUtilityOskShutdownStart();
    if (dialog <= api::dialog_none)
      return dialog < 0 ? failure("The system keyboard stopped", "", dialog) : Status{};
    if (code < 0) return failure("The system keyboard stopped", "", code);
    if (dialog == api::dialog_initializing && ++frames_waited > max_frames_to_open) {
      return failure_sentence(error_not_open,
                              "The system keyboard does not open. Leave the program and start it again.");
    }
    stay_awake();
    display.end_frame();
  }
}

/// The press that ended the keyboard is not for the program: waits until it is over, and forgets it.
void drop_last_presses() {
  constexpr int max_frames = 60;
  for (int frame = 0; frame < max_frames && read_pad().held.any(); ++frame) Display::wait_vblank();
  (void)read_pad();
}

std::size_t typed_units() {
  std::size_t units = 0;
  while (units < max_typed_units && state.typed[units] != 0) ++units;
  return units;
}

}  // namespace

TypedText ask_for_text(Display& display, const KeyboardRequest& request, std::span<char> into) {
  TypedText typed;
  prepare(request);
  const std::int32_t code = sceUtilityOskInitStart(&state.parameters);
  typed.status =
      code < 0 ? failure("Cannot open the system keyboard", "", code) : run_dialog(display, request);
  drop_last_presses();
  if (!typed.status.ok()) return typed;
  if (state.field.result == api::keyboard_cancelled) {
    typed.outcome = TypedOutcome::cancelled;
    return typed;
  }
  typed.outcome = TypedOutcome::confirmed;
  typed.bytes = utf16_to_utf8(std::span(state.typed).first(typed_units()), into).written;
  return typed;
}

}  // namespace pspllm::psp
