#include "engine/text/byte_level_encode.hpp"

#include "engine/core/slice.hpp"
#include "engine/text/utf8_character.hpp"

namespace pspllm {
namespace {

/// Bytes of the text once U+FFFD stands where no UTF-8 does.
std::uint64_t spelled_bytes(std::string_view text) noexcept {
  std::uint64_t bytes = 0;
  for (std::size_t position = 0; position < text.size();) {
    const Utf8Character character = utf8_character_at(text, position);
    bytes += character.well_formed ? character.length : replacement_text.size();
    position += character.length;
  }
  return bytes;
}

/// The symbols of one word, and the heap behind them.
struct WordScratch {
  MergeSymbol* symbols = nullptr;
  std::size_t count = 0;
  bool well_formed = true;
};

Status append_bytes(const ByteLevelTokenizer& tokenizer, std::string_view bytes, std::size_t position,
                    WordScratch& word) noexcept {
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    const std::int32_t token = tokenizer.byte_tokens[byte];
    if (token == no_token) {
      return bad_input("the character at byte ", position, " of the text needs the byte ",
                       std::uint32_t{byte},
                       ", which this vocabulary cannot spell; write the text without it");
    }
    word.symbols[word.count] = {};
    word.symbols[word.count].token = token;
    ++word.count;
  }
  return {};
}

Status append_word(const ByteLevelTokenizer& tokenizer, std::string_view text, std::size_t begin,
                   std::size_t end, WordScratch& word) noexcept {
  for (std::size_t position = begin; position < end;) {
    const Utf8Character character = utf8_character_at(text, position);
    const std::string_view bytes =
        character.well_formed ? slice(text, position, character.length) : replacement_text;
    if (Status status = append_bytes(tokenizer, bytes, position, word); !status) return status;
    word.well_formed = word.well_formed && character.well_formed;
    position += character.length;
  }
  return {};
}

/// Merges a word; gives the number of tokens written to `tokens`.
std::size_t merge_word(const ByteLevelTokenizer& tokenizer, const WordScratch& word, std::string_view text,
                       std::int32_t* tokens) noexcept {
  const std::span<MergeSymbol> symbols(word.symbols, word.count);
  auto* const heap = reinterpret_cast<std::uint32_t*>(word.symbols + word.count);
  merge_symbols(symbols, {heap, word.count}, [&tokenizer](std::int32_t left, std::int32_t right) {
    return find_merge(tokenizer, left, right);
  });
  const std::size_t count = gather_tokens(symbols, tokens);
  if (count > 1 && word.well_formed && !tokenizer.words.empty()) {
    if (const std::int32_t whole = find_word(tokenizer, text); whole != no_token) {
      tokens[0] = whole;
      return 1;
    }
  }
  return count;
}

}  // namespace

std::uint64_t byte_level_scratch_bytes(std::uint64_t text_bytes) noexcept {
  return sizeof(std::int32_t) + text_bytes * merge_bytes_per_symbol;
}

Result<std::span<const std::int32_t>> encode(const ByteLevelTokenizer& tokenizer, std::string_view text,
                                             TextPlace place, std::span<std::byte> scratch) noexcept {
  if (scratch.size() < byte_level_scratch_bytes(spelled_bytes(text))) {
    return does_not_fit("the text has ", text.size(),
                        " bytes, more than there is room to encode; shorten it");
  }
  // A word's symbols begin where the tokens so far end: a token for every byte of them would still leave the
  // rest its room.
  auto* const tokens = reinterpret_cast<std::int32_t*>(scratch.data());
  std::size_t count = 0;
  if (place == TextPlace::beginning && tokenizer.has(ByteLevelFlags::adds_bos))
    tokens[count++] = tokenizer.header.bos;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = word_end(tokenizer.pre_tokenizer(), text, begin);
    WordScratch word;
    word.symbols = reinterpret_cast<MergeSymbol*>(tokens + count);
    if (Status status = append_word(tokenizer, text, begin, end, word); !status) return status;
    count += merge_word(tokenizer, word, slice(text, begin, end - begin), tokens + count);
    begin = end;
  }
  return std::span<const std::int32_t>(tokens, count);
}

}  // namespace pspllm
