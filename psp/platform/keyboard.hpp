// The system's on-screen keyboard.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "psp/platform/display.hpp"
#include "psp/platform/status.hpp"

namespace pspllm::psp {

/// Most 16-bit units of text that can be typed. The emulator's keyboard gives back 1,024; the limit of a
/// console's own is not known.
constexpr std::size_t max_typed_units = 512;

/// Most UTF-8 bytes that this can become: three for a unit of the basic plane (a surrogate pair needs two
/// each).
constexpr std::size_t max_typed_bytes = max_typed_units * 3;

enum class TypedOutcome {
  confirmed,
  cancelled,
  failed,
};

struct KeyboardRequest {
  std::string_view title;         ///< Shown above the field, UTF-8.
  std::string_view initial_text;  ///< To be edited, UTF-8; what does not fit is cut between two characters.
  /// Draws the picture behind the keyboard, once a frame, on the whole back buffer. May be null: then black.
  void (*draw_background)(Surface surface, void* context) = nullptr;
  void* context = nullptr;
};

struct TypedText {
  TypedOutcome outcome = TypedOutcome::failed;
  std::size_t bytes = 0;  ///< UTF-8 bytes written to `into`; 0 unless confirmed.
  Status status;          ///< Not ok only when failed.
};

/// Opens the keyboard and returns when it is closed; keeps the console awake and honours HOME meanwhile.
/// `into` of max_typed_bytes holds every text. The system uses the 4 MB of volatile memory (0x08400000) for
/// it: they must not be locked.
[[nodiscard]] TypedText ask_for_text(Display& display, const KeyboardRequest& request, std::span<char> into);

}  // namespace pspllm::psp
