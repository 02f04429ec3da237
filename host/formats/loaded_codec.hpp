// A vocabulary in memory of its own, without a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/text_codec.hpp"
#include "host/formats/tokenizer_payload.hpp"

namespace pspllm::host {

class LoadedCodec {
 public:
  /// Reads a vocabulary of exactly `vocab_size` pieces. Throws Failure, `subject` in front, where it is
  /// damaged.
  LoadedCodec(PspmTokenizerKind kind, const ByteSource& source, std::uint32_t vocab_size,
              const std::string& subject);
  explicit LoadedCodec(const TokenizerPayload& payload);

  [[nodiscard]] const TextCodec& codec() const noexcept { return codec_; }

  /// The text's tokens, valid until the next call. Throws Failure where the vocabulary cannot spell it.
  [[nodiscard]] std::span<const std::int32_t> encode(std::string_view text, TextPlace place);

 private:
  std::vector<std::uint32_t> memory_;
  std::vector<std::uint32_t> scratch_;
  TextCodec codec_;
};

}  // namespace pspllm::host
