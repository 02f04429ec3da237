// How a byte-level vocabulary's tables answer: shared by look-ups and by the checks that make look-ups safe.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/text/byte_level_tokenizer.hpp"

namespace pspllm {

inline constexpr std::uint32_t byte_values = 256;

/// The sentence for tables that contradict each other.
template <typename... Parts>
[[nodiscard]] Error damaged(const Parts&... parts) noexcept {
  return bad_input("byte-level tokenizer: ", parts..., "; the file is damaged");
}

/// Whether the tables of results and origins are there.
[[nodiscard]] inline bool are_results_listed(const ByteLevelHeader& header) noexcept {
  return header.first_result == results_are_listed;
}

/// Checks every entry of the tables, whose sizes have been checked, and fills byte_tokens. Errors: bad_input.
[[nodiscard]] Status check_byte_level_tables(ByteLevelTokenizer& tokenizer) noexcept;

/// The byte that a token is, or no_token.
[[nodiscard]] std::int32_t byte_of(const ByteLevelTokenizer& tokenizer, std::int32_t token) noexcept;

/// Rank of a merge that makes a token, or no_token.
[[nodiscard]] std::int32_t origin_of(const ByteLevelTokenizer& tokenizer, std::int32_t token) noexcept;

[[nodiscard]] std::string_view text_of(const ByteLevelTokenizer& tokenizer,
                                       const ByteLevelText& text) noexcept;

/// The entry of texts that spells a token, or null.
[[nodiscard]] const ByteLevelText* find_text(const ByteLevelTokenizer& tokenizer,
                                             std::int32_t token) noexcept;

/// Spells a token byte by byte. False where it has no spelling, or one longer than max_piece_bytes.
[[nodiscard]] bool spell(const ByteLevelTokenizer& tokenizer, std::int32_t token, PieceStorage& storage,
                         std::string_view& spelled) noexcept;

}  // namespace pspllm
