// A fixed-size piece of UTF-8 text: what the PSP program uses where a PC program would use std::string.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pspllm::psp {

/// Appends to `bytes[size, capacity)`; returns the new size. Cuts at a UTF-8 character boundary when the text
/// does not fit; never writes past `capacity`.
[[nodiscard]] std::size_t append_text(char* bytes, std::size_t size, std::size_t capacity,
                                      std::string_view text);

/// Writes `value` in decimal, right-aligned in 20 characters; returns the digits as a view into `digits`.
[[nodiscard]] std::string_view decimal_digits(std::uint64_t value, std::array<char, 20>& digits);

/// Text of at most `capacity` bytes. Too long an append is cut at a character boundary and `truncated()`
/// tells. Always NUL-terminated, so that `c_str()` can be handed to a system call.
template <std::size_t capacity>
class TextBuffer {
 public:
  TextBuffer() { bytes_[0] = '\0'; }
  explicit TextBuffer(std::string_view text) : TextBuffer() { append(text); }

  TextBuffer& append(std::string_view text) {
    const std::size_t before = size_;
    size_ = append_text(bytes_.data(), size_, capacity, text);
    truncated_ = truncated_ || size_ - before != text.size();
    bytes_[size_] = '\0';
    return *this;
  }
  TextBuffer& append(char character) { return append(std::string_view(&character, 1)); }
  TextBuffer& append_unsigned(std::uint64_t value) {
    std::array<char, 20> digits;
    return append(decimal_digits(value, digits));
  }
  TextBuffer& append_signed(std::int64_t value) {
    if (value < 0) append('-');
    return append_unsigned(value < 0 ? ~static_cast<std::uint64_t>(value) + 1
                                     : static_cast<std::uint64_t>(value));
  }
  /// Eight upper-case hexadecimal digits, as PSP error codes are usually written.
  TextBuffer& append_hex(std::uint32_t value) {
    for (int shift = 28; shift >= 0; shift -= 4) append("0123456789ABCDEF"[(value >> shift) & 15U]);
    return *this;
  }
  /// `numerator / denominator` with `decimals` (0..6) decimals, rounded half up; "-" when the denominator is
  /// 0.
  TextBuffer& append_ratio(std::uint64_t numerator, std::uint64_t denominator, unsigned decimals) {
    if (denominator == 0) return append('-');
    std::uint64_t scale = 1;
    for (unsigned digit = 0; digit < decimals; ++digit) scale *= 10;
    const std::uint64_t scaled = (numerator * scale + denominator / 2) / denominator;
    append_unsigned(scaled / scale);
    if (decimals == 0) return *this;
    append('.');
    for (scale /= 10; scale != 0; scale /= 10) append(static_cast<char>('0' + (scaled / scale) % 10));
    return *this;
  }

  void clear() {
    size_ = 0;
    truncated_ = false;
    bytes_[0] = '\0';
  }
  [[nodiscard]] std::string_view view() const { return {bytes_.data(), size_}; }
  [[nodiscard]] const char* c_str() const { return bytes_.data(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] bool truncated() const { return truncated_; }

 private:
  std::array<char, capacity + 1> bytes_;
  std::size_t size_ = 0;
  bool truncated_ = false;
};

}  // namespace pspllm::psp
