// From tokens to bytes for people, or to the very bytes that runq.c prints.
#pragma once

#include <cstdint>
#include <string>

#include "engine/text/text_codec.hpp"
#include "engine/text/utf8_stream.hpp"

namespace pspllm::host {

/// Correct UTF-8: bytes that do not yet make a character wait, and are flushed at the end.
class Utf8TextWriter {
 public:
  /// What became ready by this token, often nothing.
  [[nodiscard]] std::string add(const TextCodec& tokenizer, std::int32_t previous, std::int32_t token);
  /// The text is over.
  [[nodiscard]] std::string finish();

 private:
  Utf8Stream stream_;
};

/// What runq.c prints for a token: its piece, or nothing for a lone byte that is neither printable nor space.
[[nodiscard]] std::string reference_piece(const TextCodec& tokenizer, std::int32_t previous,
                                          std::int32_t token);

}  // namespace pspllm::host
