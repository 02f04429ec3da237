// Code words as floats.
#pragma once

#include <cstdint>

#include "engine/ops/psp/packed_codes.hpp"

namespace pspllm::psp {

/// Floats of an unpacked code word: whole registers.
[[nodiscard]] constexpr std::uint32_t unpacked_word_floats(std::uint32_t code_width) noexcept {
  return code_width <= 4 ? 4 : 8;
}

/// Code words first … first + count - 1 (multiples of 4) as floats; what they do not fill is 0. words:
/// [count, unpacked_word_floats()], 16-byte aligned.
void unpack_code_words(const PackedCodes& matrix, std::uint32_t first, std::uint32_t count,
                       float* words) noexcept;

}  // namespace pspllm::psp
