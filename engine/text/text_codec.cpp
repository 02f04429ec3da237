#include "engine/text/text_codec.hpp"

#include "engine/text/byte_level_encode.hpp"

namespace pspllm {
namespace {

bool is_byte_level(const TextCodec& codec) noexcept {
  return codec.kind == PspmTokenizerKind::byte_level;
}

}  // namespace

std::uint64_t text_codec_bytes(PspmTokenizerKind kind, std::uint64_t payload_bytes,
                               std::uint32_t vocab_size) noexcept {
  return kind == PspmTokenizerKind::byte_level ? byte_level_tokenizer_bytes(payload_bytes)
                                               : tokenizer_bytes(payload_bytes, vocab_size);
}

Status load_text_codec(PspmTokenizerKind kind, const ByteSource& source, std::uint32_t vocab_size,
                       std::span<std::byte> memory, TextCodec& codec) noexcept {
  codec.kind = kind;
  switch (kind) {
    case PspmTokenizerKind::llama2c:
      return load_tokenizer(source, vocab_size, memory, codec.llama2c);
    case PspmTokenizerKind::byte_level:
      return load_byte_level_tokenizer(source, vocab_size, memory, codec.byte_level);
  }
  return bad_input("tokenizer of kind ", static_cast<std::uint32_t>(kind),
                   ", expected 1 (llama2.c) or 2 (byte-level)");
}

Result<std::span<const std::int32_t>> encode(const TextCodec& codec, std::string_view text, TextPlace place,
                                             std::span<std::byte> scratch) noexcept {
  if (is_byte_level(codec)) {
    const auto tokens = encode(codec.byte_level, text, place, scratch);
    const std::int32_t bos = bos_of(codec);
    if (!tokens || !tokens.value().empty() || place == TextPlace::middle || bos == no_token) return tokens;
    auto* const first = reinterpret_cast<std::int32_t*>(scratch.data());
    *first = bos;
    return std::span<const std::int32_t>(first, 1);
  }
  const auto tokens = encode(codec.llama2c, text, scratch);
  if (!tokens || place == TextPlace::beginning) return tokens;
  return tokens.value().subspan(1);  // llama2.c's texts always begin with BOS
}

std::string_view decode(const TextCodec& codec, std::int32_t previous, std::int32_t token,
                        PieceStorage& storage) noexcept {
  if (!is_byte_level(codec)) return decode(codec.llama2c, previous, token, storage.bytes[0]);
  if (is_special(codec.byte_level, token)) return {};
  return piece_of(codec.byte_level, token, storage);
}

std::string_view piece_of(const TextCodec& codec, std::int32_t token, PieceStorage& storage) noexcept {
  return is_byte_level(codec) ? piece_of(codec.byte_level, token, storage) : piece_of(codec.llama2c, token);
}

std::int32_t bos_of(const TextCodec& codec) noexcept {
  return is_byte_level(codec) ? codec.byte_level.header.bos : bos_token;
}

std::int32_t eos_of(const TextCodec& codec) noexcept {
  return is_byte_level(codec) ? codec.byte_level.header.eos : eos_token;
}

}  // namespace pspllm
