// Writes byte-level vocabularies as the engine reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/text/byte_level_format.hpp"
#include "engine/text/pre_tokenizer.hpp"
#include "engine/text/token.hpp"

namespace pspllm::host {

/// One rule of a vocabulary, in tokens: left and right become result.
struct MergeRule {
  std::int32_t left = no_token;
  std::int32_t right = no_token;
  std::int32_t result = no_token;
};

/// A byte-level vocabulary as importers find it.
struct ByteLevelVocabulary {
  std::vector<std::string> pieces;       ///< [vocab_size] bytes of each token; names of special ones
  std::vector<ByteLevelTextKind> kinds;  ///< [vocab_size]
  std::vector<MergeRule> merges;         ///< in order of rank
  PreTokenizer pre_tokenizer = PreTokenizer::gpt2;
  bool adds_bos = false;
  bool ignore_merges = false;
  std::int32_t bos = no_token;
  std::int32_t eos = no_token;
  std::int32_t pad = no_token;
};

/// The payload of the .pspm tokenizer section, kind byte_level, without the section's 64-byte kind. Where a
/// pair has several merges the last one counts, as in PyPI's `tokenizers`. Throws Failure where the
/// vocabulary contradicts itself or is beyond the engine's limits.
[[nodiscard]] std::vector<std::byte> byte_level_payload(const ByteLevelVocabulary& vocabulary);

/// The bytes that a piece of GPT-2's printable alphabet stands for (openai/gpt-2, src/encoder.py,
/// bytes_to_unicode: printable Latin-1 as it is, the rest from U+0100 on); false where it holds another
/// character.
[[nodiscard]] bool from_printable_alphabet(const std::string& piece, std::string& bytes);

}  // namespace pspllm::host
