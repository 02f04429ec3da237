// Any bytes as a text: encoded into tokens of the vocabulary that decode to the text again.
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/encode.hpp"

namespace {

void append_piece(std::vector<std::byte>& file, std::string_view text, float score) {
  const auto length = static_cast<std::int32_t>(text.size());
  const std::size_t at = file.size();
  file.resize(at + 8 + text.size());
  std::memcpy(file.data() + at, &score, 4);
  std::memcpy(file.data() + at + 4, &length, 4);
  if (!text.empty()) std::memcpy(file.data() + at + 8, text.data(), text.size());
}

/// The fixed ids, a space, and a few merges that overlap.
struct Vocabulary {
  Vocabulary() : file(4) {
    for (const char* text : {"<unk>", "\n<s>\n", "\n</s>\n"}) append_piece(file, text, 0.0F);
    constexpr char digits[] = "0123456789ABCDEF";
    for (int byte = 0; byte < 256; ++byte) {
      const char text[] = {'<', '0', 'x', digits[byte / 16], digits[byte % 16], '>'};
      append_piece(file, {text, sizeof text}, 0.0F);
    }
    float score = 0.0F;
    for (const char* text :
         {" ", "a", "b", "ab", "ba", "aba", "abab", " a", "\xC3\xA9", "\xF0\x9F\x98\xBA", "aa"}) {
      append_piece(file, text, score);
      score -= 1.0F;
    }
    constexpr std::uint32_t count = 3 + 256 + 11;
    memory.resize(static_cast<std::size_t>(pspllm::tokenizer_bytes(file.size(), count)) / 4 + 1);
    const std::span<const std::byte> bytes(file);
    if (!pspllm::load_tokenizer(pspllm::memory_source(&bytes), count,
                                std::as_writable_bytes(std::span(memory)), tokenizer)) {
      __builtin_trap();
    }
  }
  std::vector<std::byte> file;
  std::vector<std::uint32_t> memory;
  pspllm::Tokenizer tokenizer;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Vocabulary vocabulary;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::uint32_t> scratch(static_cast<std::size_t>(pspllm::encode_scratch_bytes(size)) / 4 + 1);
  const auto tokens = pspllm::encode(vocabulary.tokenizer, text, std::as_writable_bytes(std::span(scratch)));
  if (!tokens) __builtin_trap();
  std::string decoded;
  std::int32_t previous = pspllm::no_token;
  for (const std::int32_t token : tokens.value()) {
    char storage = 0;
    if (previous != pspllm::no_token)
      decoded += pspllm::decode(vocabulary.tokenizer, previous, token, storage);
    previous = token;
  }
  // Text that spells a byte piece decodes to that byte: only texts without one come back as they were.
  const std::string_view whole = text.substr(0, text.find('\0'));
  if (whole.find("<0x") == std::string_view::npos && decoded != whole) __builtin_trap();
  return 0;
}
