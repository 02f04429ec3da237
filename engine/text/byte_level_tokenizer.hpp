// Byte-level byte-pair encoding, as GPT-2, SmolLM2 and Llama 3 have it: the vocabulary, and from tokens to
// bytes. From text to tokens: byte_level_encode.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/core/byte_source.hpp"
#include "engine/core/limits.hpp"
#include "engine/core/result.hpp"
#include "engine/text/byte_level_format.hpp"
#include "engine/text/merge_symbols.hpp"
#include "engine/text/pre_tokenizer.hpp"
#include "engine/text/token.hpp"

namespace pspllm {

/// A table of ids, two or four bytes each; none is no_token.
class IdTable {
 public:
  IdTable() = default;
  /// data: aligned to the width
  IdTable(const std::byte* data, bool is_wide) noexcept : data_(data), is_wide_(is_wide) {}

  [[nodiscard]] std::int32_t operator[](std::size_t index) const noexcept {
    if (is_wide_) return reinterpret_cast<const std::int32_t*>(data_)[index];
    const std::uint32_t id = reinterpret_cast<const std::uint16_t*>(data_)[index];
    return id == no_narrow_id ? no_token : static_cast<std::int32_t>(id);
  }

 private:
  const std::byte* data_ = nullptr;
  bool is_wide_ = false;
};

/// A vocabulary in memory: its file's bytes where they lie.
struct ByteLevelTokenizer {
  ByteLevelHeader header;
  std::span<const std::uint32_t> byte_pieces;   // [byte_count] id * 256 + byte, rising
  IdTable parts;                                // [merge_count, 2]
  IdTable sorted;                               // [sorted_count]
  IdTable results;                              // [merge_count], where listed
  IdTable origins;                              // [vocab_size], where listed
  std::span<const ByteLevelText> texts;         // [text_count]
  std::span<const std::uint32_t> words;         // [word_count]
  std::string_view text;                        // [text_bytes]
  std::array<std::int32_t, 256> byte_tokens{};  ///< token of a byte, or no_token

  [[nodiscard]] PreTokenizer pre_tokenizer() const noexcept {
    return static_cast<PreTokenizer>(header.pre_tokenizer);
  }
  [[nodiscard]] bool has(std::uint32_t flag) const noexcept { return (header.flags & flag) != 0; }
};

/// Bytes of memory that load_byte_level_tokenizer() needs for a payload of `payload_bytes`.
[[nodiscard]] std::uint64_t byte_level_tokenizer_bytes(std::uint64_t payload_bytes) noexcept;

/// Reads and checks a vocabulary of exactly `vocab_size` pieces into `memory` (byte_level_tokenizer_bytes(),
/// 4-byte aligned). `source`: what follows the 64-byte kind in the tokenizer section (byte_level_format.hpp).
/// Errors: bad_input, with the field, its value and what is right; does_not_fit; read_failed.
[[nodiscard]] Status load_byte_level_tokenizer(const ByteSource& source, std::uint32_t vocab_size,
                                               std::span<std::byte> memory,
                                               ByteLevelTokenizer& tokenizer) noexcept;

/// Room for one piece's bytes.
struct PieceStorage {
  std::array<char, max_piece_bytes> bytes;
};

/// A piece's bytes, special tokens by their names; valid as long as tokenizer and storage. token: [0,
/// vocab_size).
[[nodiscard]] std::string_view piece_of(const ByteLevelTokenizer& tokenizer, std::int32_t token,
                                        PieceStorage& storage) noexcept;

/// Whether a token steers and is no text: texts that people see and send never hold it.
[[nodiscard]] bool is_special(const ByteLevelTokenizer& tokenizer, std::int32_t token) noexcept;

/// The special token of that name, or no_token.
[[nodiscard]] std::int32_t find_special(const ByteLevelTokenizer& tokenizer, std::string_view name) noexcept;

/// What two neighbouring tokens merge into; no_token: they do not.
[[nodiscard]] Merge find_merge(const ByteLevelTokenizer& tokenizer, std::int32_t left,
                               std::int32_t right) noexcept;

/// The piece that ignore_merges takes for a whole word and that merges do not make, or no_token.
[[nodiscard]] std::int32_t find_word(const ByteLevelTokenizer& tokenizer, std::string_view word) noexcept;

}  // namespace pspllm
