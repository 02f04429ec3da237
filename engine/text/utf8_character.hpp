// One character of a text that claims to be UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pspllm {

/// What stands for bytes that are no character: U+FFFD and its UTF-8.
inline constexpr std::uint32_t replacement_character = 0xFFFD;
inline constexpr std::string_view replacement_text = "\xEF\xBF\xBD";

struct Utf8Character {
  std::uint32_t code_point = 0;  ///< U+FFFD where the bytes are not well-formed
  std::uint32_t length = 0;      ///< bytes in the text: 1 to 4
  bool well_formed = true;
};

/// Length of the character that a lead byte begins; 0 for bytes that begin none (Unicode 16, table 3-7).
[[nodiscard]] constexpr std::uint32_t utf8_length(unsigned char lead) noexcept {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

/// Whether `byte` may follow `lead` as the second byte: excludes overlong forms, surrogates and beyond
/// U+10FFFF.
[[nodiscard]] constexpr bool utf8_second_byte_fits(unsigned char lead, unsigned char byte) noexcept {
  if (lead == 0xE0) return byte >= 0xA0 && byte <= 0xBF;
  if (lead == 0xED) return byte >= 0x80 && byte <= 0x9F;
  if (lead == 0xF0) return byte >= 0x90 && byte <= 0xBF;
  if (lead == 0xF4) return byte >= 0x80 && byte <= 0x8F;
  return (byte & 0xC0U) == 0x80U;
}

/// The character at `position` (below text.size()). Bytes that begin no character are taken together as far
/// as they could have begun one (Unicode 16, section 3.9, "maximal subparts"), as Utf8Stream does.
[[nodiscard]] Utf8Character utf8_character_at(std::string_view text, std::size_t position) noexcept;

}  // namespace pspllm
