// A vocabulary as a .pspm file holds it, whatever it came from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/model/pspm_format.hpp"
#include "engine/text/token.hpp"

namespace pspllm::host {

struct TokenizerPayload {
  PspmTokenizerKind kind = PspmTokenizerKind::byte_level;
  std::uint32_t vocab_size = 0;
  std::vector<std::byte> bytes;  ///< what follows the section's 64-byte kind
};

/// What a model's own files say about its vocabulary besides tokenizer.json (config.json,
/// tokenizer_config.json).
struct TokenizerHints {
  std::uint32_t vocab_size = 0;  ///< rows of the embedding; 0: as many as the tokenizer has
  std::int32_t bos = no_token;
  std::int32_t eos = no_token;
  std::int32_t pad = no_token;
};

}  // namespace pspllm::host
