// Text to tokens: SentencePiece-style byte-pair merging with a heap, equal to llama2.c's quadratic loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/core/result.hpp"
#include "engine/text/tokenizer.hpp"

namespace pspllm {

/// Bytes of 4-byte-aligned scratch that encode() needs for a text of `text_bytes`.
[[nodiscard]] std::uint64_t encode_scratch_bytes(std::uint64_t text_bytes) noexcept;

/// BOS, then the text's tokens: a leading space piece (where the text is not empty and the vocabulary has
/// one), a piece a character, or its bytes, then the best-scored adjacent pairs merged, leftmost first among
/// equals. A text ends at its first NUL, as a C string does. The tokens lie in the scratch. Errors:
/// does_not_fit where the scratch is too small, bad_input where the vocabulary cannot spell a byte.
[[nodiscard]] Result<std::span<const std::int32_t>> encode(const Tokenizer& tokenizer, std::string_view text,
                                                           std::span<std::byte> scratch) noexcept;

}  // namespace pspllm
