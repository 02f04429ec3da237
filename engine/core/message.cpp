#include "engine/core/message.hpp"

namespace pspllm {

void Message::append(std::string_view text) noexcept {
  for (const char character : text) {
    if (size_ == capacity) return;
    text_[size_++] = character;
  }
  text_[size_] = '\0';
}

void Message::append(const char* text) noexcept {
  // By hand: std::string_view would call strlen, which a machine without a C library does not have.
  for (; *text != '\0'; ++text) append(*text);
}

void Message::append_unsigned(std::uint64_t value) noexcept {
  constexpr std::size_t max_digits = 20;
  char digits[max_digits];
  std::size_t count = 0;
  do {
    // Long division by ten, 16 bits at a time: each step stays within 32-bit arithmetic.
    std::uint32_t remainder = 0;
    std::uint64_t quotient = 0;
    for (int limb = 3; limb >= 0; --limb) {
      const std::uint32_t part = static_cast<std::uint32_t>(limb >= 2 ? value >> 32 : value);
      const std::uint32_t dividend = (remainder << 16) | ((limb & 1) != 0 ? part >> 16 : part & 0xffffU);
      quotient = (quotient << 16) | (dividend / 10);
      remainder = dividend % 10;
    }
    digits[count++] = static_cast<char>('0' + remainder);
    value = quotient;
  } while (value != 0);
  while (count > 0) append(digits[--count]);
}

void Message::append_signed(std::int64_t value) noexcept {
  if (value < 0) {
    append('-');
    append_unsigned(0 - static_cast<std::uint64_t>(value));
  } else {
    append_unsigned(static_cast<std::uint64_t>(value));
  }
}

}  // namespace pspllm
