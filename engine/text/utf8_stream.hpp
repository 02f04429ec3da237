// Turns a stream of token bytes into correct UTF-8: bytes that do not yet make a character wait for the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pspllm {

/// Feed bytes as they come; take() gives what is complete. Bytes that can never become a character turn into
/// U+FFFD.
class Utf8Stream {
 public:
  /// Most bytes that one push() or flush() makes ready: every waiting or new byte may become a three-byte
  /// U+FFFD.
  static constexpr std::size_t longest_character = 4;
  static constexpr std::size_t replacement_bytes = 3;

  /// Adds one byte; gives the text that became ready (often empty), valid until the next call.
  [[nodiscard]] std::string_view push(char byte) noexcept;
  /// The text is over: what waits can no longer be completed.
  [[nodiscard]] std::string_view flush() noexcept;

 private:
  void emit(std::string_view text) noexcept;
  void emit_waiting_as_replacement() noexcept;

  char waiting_[longest_character] = {};
  std::size_t waiting_size_ = 0;
  std::size_t expected_ = 0;
  char ready_[longest_character * replacement_bytes + longest_character] = {};
  std::size_t ready_size_ = 0;
};

}  // namespace pspllm
