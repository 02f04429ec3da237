// llama2.c's tokenizer.bin: vocabulary pieces with scores, indexed for look-up without a heap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/core/byte_source.hpp"
#include "engine/core/result.hpp"
#include "engine/text/token.hpp"

namespace pspllm {

/// Ids that llama2.c's vocabularies fix: unknown, begin and end of a sequence, then the 256 byte pieces.
inline constexpr std::int32_t unknown_token = 0;
inline constexpr std::int32_t bos_token = 1;
inline constexpr std::int32_t eos_token = 2;
inline constexpr std::int32_t first_byte_token = 3;

/// A vocabulary in memory. File layout: u32 longest piece, then a piece each: fp32 score, i32 length, bytes.
struct Tokenizer {
  std::uint32_t vocab_size = 0;
  std::span<const std::byte> file;           // the whole tokenizer.bin
  std::span<const std::uint32_t> positions;  // [vocab_size] where a piece's score stands in `file`
  std::span<const std::uint32_t> sorted;     // [vocab_size] ids ordered by piece bytes, equal pieces by id
};

/// Bytes of memory that load_tokenizer() needs for a file of `file_bytes`.
[[nodiscard]] std::uint64_t tokenizer_bytes(std::uint64_t file_bytes, std::uint32_t vocab_size) noexcept;

/// Reads and checks a tokenizer.bin of exactly `vocab_size` pieces into `memory` (tokenizer_bytes() of it,
/// 4-byte aligned). Errors: bad_input (truncated, more or fewer pieces than the model, foreign format, bad
/// length or score).
[[nodiscard]] Status load_tokenizer(const ByteSource& source, std::uint32_t vocab_size,
                                    std::span<std::byte> memory, Tokenizer& tokenizer) noexcept;

/// The piece as the vocabulary spells it; byte pieces as "<0x0A>". token: [0, vocab_size).
[[nodiscard]] std::string_view piece_of(const Tokenizer& tokenizer, std::int32_t token) noexcept;
[[nodiscard]] float score_of(const Tokenizer& tokenizer, std::int32_t token) noexcept;

/// Id of the piece that reads `first` followed by `second`, or no_token. Where a vocabulary holds a piece
/// twice, the one that runq.c's binary search finds.
[[nodiscard]] std::int32_t find_piece(const Tokenizer& tokenizer, std::string_view first,
                                      std::string_view second = {}) noexcept;

/// What a token adds to the text: at most one byte of `storage` is used, for byte pieces. A space right after
/// BOS is dropped (SentencePiece's dummy prefix).
[[nodiscard]] std::string_view decode(const Tokenizer& tokenizer, std::int32_t previous, std::int32_t token,
                                      char& storage) noexcept;

/// Whether runq.c would print the decoded piece: it drops lone bytes that are neither printable ASCII nor
/// space.
[[nodiscard]] bool reference_prints(std::string_view decoded) noexcept;

}  // namespace pspllm
