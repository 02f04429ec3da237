#include "host/formats/loaded_codec.hpp"

#include <algorithm>

#include "engine/text/utf8_character.hpp"
#include "host/core/failure.hpp"

namespace pspllm::host {
namespace {

/// Words of four bytes that hold so many bytes.
std::size_t words_for(std::uint64_t bytes) {
  return static_cast<std::size_t>(bytes / sizeof(std::uint32_t) + 1);
}

}  // namespace

LoadedCodec::LoadedCodec(PspmTokenizerKind kind, const ByteSource& source, std::uint32_t vocab_size,
                         const std::string& subject)
    : memory_(words_for(text_codec_bytes(kind, source.size, vocab_size))) {
  require(load_text_codec(kind, source, vocab_size, std::as_writable_bytes(std::span(memory_)), codec_),
          subject);
}

LoadedCodec::LoadedCodec(const TokenizerPayload& payload) {
  const std::span<const std::byte> bytes(payload.bytes);
  *this = LoadedCodec(payload.kind, memory_source(&bytes), payload.vocab_size, "the tokenizer");
}

std::span<const std::int32_t> LoadedCodec::encode(std::string_view text, TextPlace place) {
  // Every byte might be no UTF-8 and need U+FFFD's three.
  const std::uint64_t most_bytes = std::uint64_t{text.size()} * replacement_text.size();
  scratch_.resize(std::max(scratch_.size(), words_for(encode_scratch_bytes(most_bytes))));
  const auto tokens = pspllm::encode(codec_, text, place, std::as_writable_bytes(std::span(scratch_)));
  require(tokens.status());
  return tokens.value();
}

}  // namespace pspllm::host
