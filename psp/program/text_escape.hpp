// Text of several lines on one line of a file: \n for a newline, \\ for a backslash.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace pspllm::psp {

/// What a conversion wrote; complete is false where `into` was too small or an escape was not one of the two.
struct Escaped {
  std::size_t bytes = 0;
  bool complete = true;
};

/// Writes `text` with its newlines and backslashes escaped.
[[nodiscard]] Escaped escape_text(std::string_view text, std::span<char> into);

/// The reverse. A backslash before anything but 'n' and '\' is kept as it is, and complete is false.
[[nodiscard]] Escaped unescape_text(std::string_view text, std::span<char> into);

}  // namespace pspllm::psp
