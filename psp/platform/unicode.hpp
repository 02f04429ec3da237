// UTF-8 and UTF-16: reading code points, and converting what the system keyboard gives and takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace pspllm::psp {

constexpr char32_t replacement_character = 0xFFFD;

/// One code point and how many bytes of the input it took (1..4; 0 at the end of the input).
struct DecodedCodePoint {
  char32_t code_point = 0;
  std::size_t bytes = 0;
};

/// The first code point of `utf8`. Ill-formed input gives replacement_character and takes one maximal
/// subpart, as Unicode 15 section 3.9 recommends (overlong forms, surrogates and values above U+10FFFF are
/// ill-formed).
[[nodiscard]] DecodedCodePoint decode_utf8(std::string_view utf8);

/// Writes the code point as UTF-8 (1..4 bytes; an invalid one as U+FFFD). Returns the bytes, 0 if they do not
/// fit.
std::size_t encode_utf8(char32_t code_point, std::span<char> into);

/// How many bytes at the end of `utf8` are the beginning of a character that is not complete yet (0..3): what
/// a streaming screen holds back.
[[nodiscard]] std::size_t incomplete_tail_bytes(std::string_view utf8);

/// What a conversion wrote, and whether all of the input fitted.
struct Conversion {
  std::size_t written = 0;  ///< Bytes or 16-bit units, without a terminator.
  bool complete = true;     ///< False when the output was too small; it was cut between two characters.
};

/// UTF-8 to UTF-16 in the machine's order (little-endian on the PSP): code points above U+FFFF become
/// surrogate pairs.
[[nodiscard]] Conversion utf8_to_utf16(std::string_view utf8, std::span<char16_t> into);

/// UTF-16 to UTF-8; surrogate pairs become one code point, a lone surrogate U+FFFD.
[[nodiscard]] Conversion utf16_to_utf8(std::span<const char16_t> utf16, std::span<char> into);

}  // namespace pspllm::psp
