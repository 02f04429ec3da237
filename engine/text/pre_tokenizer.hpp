// The first step of byte-level tokenizers: a text falls into words, and no token crosses a word's border.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pspllm {

/// How a text falls into words. Every kind is a regular expression that a scanner follows by hand; the values
/// stand in files.
enum class PreTokenizer : std::uint32_t {
  /// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
  /// (Radford et al. 2019; openai/gpt-2, src/encoder.py)
  gpt2 = 1,
  /// Every number character is a word; what lies between two of them falls apart as in gpt2, each part for
  /// itself (tokenizer.json of SmolLM2: Digits with individual_digits, then ByteLevel).
  smollm2 = 2,
  /// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+
  /// |\s+(?!\S)|\s+ (tokenizer.json of Llama 3)
  llama3 = 3
};

[[nodiscard]] bool is_known(PreTokenizer kind) noexcept;
[[nodiscard]] const char* name_of(PreTokenizer kind) noexcept;

/// End of the word that begins at `start` (below text.size()); at least one byte further. Bytes that are no
/// UTF-8 count as U+FFFD. The look behind a word ends at the text's end.
[[nodiscard]] std::size_t word_end(PreTokenizer kind, std::string_view text, std::size_t start) noexcept;

}  // namespace pspllm
