// One interface to every kind of vocabulary: what the engine, screens and hosts turn text into tokens with,
// and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/core/byte_source.hpp"
#include "engine/core/result.hpp"
#include "engine/model/pspm_format.hpp"
#include "engine/text/byte_level_tokenizer.hpp"
#include "engine/text/encode.hpp"
#include "engine/text/text_place.hpp"
#include "engine/text/tokenizer.hpp"

namespace pspllm {

/// A vocabulary of either kind; the other one's is empty.
struct TextCodec {
  PspmTokenizerKind kind = PspmTokenizerKind::llama2c;
  Tokenizer llama2c;
  ByteLevelTokenizer byte_level;

  [[nodiscard]] std::uint32_t vocab_size() const noexcept {
    return kind == PspmTokenizerKind::llama2c ? llama2c.vocab_size : byte_level.header.vocab_size;
  }
};

/// Bytes of memory that load_text_codec() needs for a payload of `payload_bytes`.
[[nodiscard]] std::uint64_t text_codec_bytes(PspmTokenizerKind kind, std::uint64_t payload_bytes,
                                             std::uint32_t vocab_size) noexcept;

/// Reads and checks a vocabulary of exactly `vocab_size` pieces into `memory` (text_codec_bytes(), 4-byte
/// aligned). Errors: bad_input, does_not_fit, read_failed.
[[nodiscard]] Status load_text_codec(PspmTokenizerKind kind, const ByteSource& source,
                                     std::uint32_t vocab_size, std::span<std::byte> memory,
                                     TextCodec& codec) noexcept;

/// The text's tokens, in the scratch; at the beginning of a sequence behind what the vocabulary puts there
/// (llama2.c's: BOS), and behind BOS in any case where there would be no token to go on from. Special tokens
/// never come out of a text. Errors: does_not_fit where the scratch is too small (encode_scratch_bytes() of
/// encode.hpp serves every kind; bytes that are no UTF-8 may count three each), bad_input where the
/// vocabulary cannot spell the text.
[[nodiscard]] Result<std::span<const std::int32_t>> encode(const TextCodec& codec, std::string_view text,
                                                           TextPlace place,
                                                           std::span<std::byte> scratch) noexcept;

/// The bytes that a token adds to a text behind `previous`; nothing for special tokens. Bytes of one
/// character may come with several tokens: put them through a Utf8Stream.
[[nodiscard]] std::string_view decode(const TextCodec& codec, std::int32_t previous, std::int32_t token,
                                      PieceStorage& storage) noexcept;

/// The token's piece by the name that its vocabulary gives it, for people who inspect tokens.
[[nodiscard]] std::string_view piece_of(const TextCodec& codec, std::int32_t token,
                                        PieceStorage& storage) noexcept;

/// The token that begins a sequence, or no_token.
[[nodiscard]] std::int32_t bos_of(const TextCodec& codec) noexcept;
/// The token that ends a text, or no_token.
[[nodiscard]] std::int32_t eos_of(const TextCodec& codec) noexcept;

}  // namespace pspllm
