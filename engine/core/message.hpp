// A sentence in a fixed buffer: how the engine reports what is wrong without a heap or a C library.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pspllm {

/// Text of at most `capacity` bytes; what does not fit is cut at the end. Always valid, never allocates.
class Message {
 public:
  static constexpr std::size_t capacity = 383;

  Message() = default;

  [[nodiscard]] std::string_view view() const noexcept { return {text_, size_}; }
  [[nodiscard]] const char* c_str() const noexcept { return text_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  void append(std::string_view text) noexcept;
  void append(const char* text) noexcept;
  void append(char character) noexcept { append(std::string_view(&character, 1)); }
  /// Decimal digits, without calling a library's 64-bit division (the PSP has none).
  void append_unsigned(std::uint64_t value) noexcept;
  void append_signed(std::int64_t value) noexcept;

  template <std::unsigned_integral Number>
  void append(Number value) noexcept {
    append_unsigned(value);
  }
  template <std::signed_integral Number>
  void append(Number value) noexcept {
    append_signed(value);
  }

 private:
  char text_[capacity + 1] = {};
  std::size_t size_ = 0;
};

/// Joins strings and numbers: message("dim is ", dim, ", expected at least 1").
template <typename... Parts>
[[nodiscard]] Message message(const Parts&... parts) noexcept {
  Message result;
  (result.append(parts), ...);
  return result;
}

}  // namespace pspllm
