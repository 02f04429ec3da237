#include "psp/platform/text_buffer.hpp"

namespace pspllm::psp {
namespace {

bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

}  // namespace

std::size_t append_text(char* bytes, std::size_t size, std::size_t capacity, std::string_view text) {
  const std::size_t room = capacity - size;
  std::size_t count = text.size();
  if (count > room) {
    count = room;
    while (count > 0 && continues_character(text[count])) --count;
  }
  for (std::size_t i = 0; i < count; ++i) bytes[size + i] = text[i];
  return size + count;
}

std::string_view decimal_digits(std::uint64_t value, std::array<char, 20>& digits) {
  std::size_t first = digits.size();
  do {
    digits[--first] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  return {digits.data() + first, digits.size() - first};
}

}  // namespace pspllm::psp
