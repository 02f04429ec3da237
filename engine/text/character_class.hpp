// Which characters are letters, numbers and white space: what pre-tokenizers split texts by.
#pragma once

#include <cstdint>

namespace pspllm {

/// The classes that the regular expressions of byte-level tokenizers tell apart.
enum class CharacterClass : std::uint8_t {
  other = 0,
  letter = 1,      ///< \p{L}: general categories Lu, Ll, Lt, Lm, Lo
  number = 2,      ///< \p{N}: general categories Nd, Nl, No
  white_space = 3  ///< \s: tab to carriage return, U+0085, and general categories Zs, Zl, Zp
};

/// Of a code point in [0, U+10FFFF], as Unicode 16.0 has it: the version of the regular expressions in PyPI's
/// `tokenizers` 0.23.
[[nodiscard]] CharacterClass class_of(std::uint32_t code_point) noexcept;

}  // namespace pspllm
