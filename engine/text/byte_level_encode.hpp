// Text to tokens of a byte-level vocabulary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/core/result.hpp"
#include "engine/text/byte_level_tokenizer.hpp"
#include "engine/text/text_place.hpp"

namespace pspllm {

/// Bytes of 4-byte-aligned scratch that encode() needs for a text of `text_bytes`; bytes that are no UTF-8
/// count three each.
[[nodiscard]] std::uint64_t byte_level_scratch_bytes(std::uint64_t text_bytes) noexcept;

/// The text's tokens, as PyPI's `tokenizers` gives them, behind BOS at the beginning of a text where the
/// vocabulary wants one. Special tokens never come out of a text, whatever it spells. Bytes that are no UTF-8
/// become U+FFFD, maximal subpart by maximal subpart. The tokens lie in the scratch. Errors: does_not_fit
/// where the scratch is too small, bad_input where the vocabulary lacks a byte of the text (`tokenizers`
/// drops such bytes without a word).
[[nodiscard]] Result<std::span<const std::int32_t>> encode(const ByteLevelTokenizer& tokenizer,
                                                           std::string_view text, TextPlace place,
                                                           std::span<std::byte> scratch) noexcept;

}  // namespace pspllm
