#include "engine/text/utf8_character.hpp"

namespace pspllm {

Utf8Character utf8_character_at(std::string_view text, std::size_t position) noexcept {
  const auto byte_at = [text](std::size_t index) { return static_cast<unsigned char>(text[index]); };
  const unsigned char lead = byte_at(position);
  if (lead < 0x80) return {lead, 1, true};
  const std::uint32_t expected = utf8_length(lead);
  if (expected == 0) return {replacement_character, 1, false};
  // Below the length marks of the lead byte lie its payload bits: 5, 4 or 3 of them.
  std::uint32_t code_point = lead & (0x7FU >> expected);
  std::uint32_t length = 1;
  while (length < expected && position + length < text.size()) {
    const unsigned char byte = byte_at(position + length);
    const bool fits = length == 1 ? utf8_second_byte_fits(lead, byte) : (byte & 0xC0U) == 0x80U;
    if (!fits) break;
    code_point = (code_point << 6) | (byte & 0x3FU);
    ++length;
  }
  if (length < expected) return {replacement_character, length, false};
  return {code_point, length, true};
}

}  // namespace pspllm
