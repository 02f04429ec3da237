// Any bytes as a byte-level vocabulary: refused with a sentence, or every token spelled and texts encoded
// into tokens that decode to them again.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/byte_level_encode.hpp"
#include "engine/text/utf8_character.hpp"
#include "fuzz/patched_input.hpp"
#include "host/formats/byte_level_payload.hpp"

namespace {

constexpr std::uint32_t vocab_size = 266;

/// Bytes, a special token, merges that overlap, a piece that no merge makes. With `listed`, the form whose
/// results do not follow each other.
std::string good_payload(bool listed) {
  pspllm::host::ByteLevelVocabulary vocabulary;
  for (int byte = 0; byte < 256; ++byte) vocabulary.pieces.emplace_back(1, static_cast<char>(byte));
  vocabulary.pieces.insert(vocabulary.pieces.end(),
                           {"<|end|>", "ab", "abc", "bc", "xyz", " a", "aa", "aaaa", "\xC3\xA9", ""});
  vocabulary.kinds.assign(vocab_size, pspllm::ByteLevelTextKind::piece);
  vocabulary.kinds[256] = pspllm::ByteLevelTextKind::special;
  vocabulary.kinds[265] = pspllm::ByteLevelTextKind::unused;
  vocabulary.merges = {{'a', 'b', 257}, {257, 'c', 258}, {'b', 'c', 259},  {' ', 'a', 261},
                       {'a', 'a', 262}, {262, 262, 263}, {0xC3, 0xA9, 264}};
  if (listed) std::swap(vocabulary.merges[0], vocabulary.merges[2]);
  vocabulary.ignore_merges = listed;
  vocabulary.pre_tokenizer = listed ? pspllm::PreTokenizer::llama3 : pspllm::PreTokenizer::smollm2;
  const std::vector<std::byte> payload = pspllm::host::byte_level_payload(vocabulary);
  return {reinterpret_cast<const char*>(payload.data()), payload.size()};
}

/// What a text reads as once it is correct UTF-8.
std::string repaired(std::string_view text) {
  std::string result;
  for (std::size_t position = 0; position < text.size();) {
    const pspllm::Utf8Character character = pspllm::utf8_character_at(text, position);
    result += character.well_formed ? text.substr(position, character.length) : pspllm::replacement_text;
    position += character.length;
  }
  return result;
}

void check_text(const pspllm::ByteLevelTokenizer& tokenizer, std::string_view text) {
  const std::string expected = repaired(text);
  std::vector<std::uint32_t> scratch(
      static_cast<std::size_t>(pspllm::byte_level_scratch_bytes(expected.size())) / 4 + 1);
  const auto tokens =
      pspllm::encode(tokenizer, text, pspllm::TextPlace::middle, std::as_writable_bytes(std::span(scratch)));
  if (!tokens) return;
  std::string decoded;
  for (const std::int32_t token : tokens.value()) {
    if (pspllm::is_special(tokenizer, token)) __builtin_trap();
    pspllm::PieceStorage storage;
    decoded += pspllm::piece_of(tokenizer, token, storage);
  }
  if (decoded != expected) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string in_order = good_payload(false);
  static const std::string listed = good_payload(true);
  if (size == 0) return 0;
  const std::string payload =
      pspllm::fuzz::patched_input(data, size, (data[0] & 2U) != 0 ? listed : in_order);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(payload));
  std::vector<std::uint32_t> memory(payload.size() / sizeof(std::uint32_t) + 1);
  pspllm::ByteLevelTokenizer tokenizer;
  const pspllm::Status status = pspllm::load_byte_level_tokenizer(
      pspllm::memory_source(&bytes), vocab_size, std::as_writable_bytes(std::span(memory)), tokenizer);
  if (!status) {
    if (status.error().message.empty()) __builtin_trap();
    return 0;
  }
  for (std::int32_t token = 0; token < static_cast<std::int32_t>(vocab_size); ++token) {
    pspllm::PieceStorage storage;
    (void)pspllm::piece_of(tokenizer, token, storage);
  }
  check_text(tokenizer, "abc aaaaa xyz 123\n\n  \xC3\xA9 it's\xFF");
  check_text(tokenizer, {reinterpret_cast<const char*>(data), size});
  return 0;
}
