// Any bytes as a tokenizer.bin for a small vocabulary: refused with a sentence, or usable for every token.
#include <vector>

#include "engine/text/tokenizer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::uint32_t vocab_size = 1 + data[0] % 32;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data + 1), size - 1);
  std::vector<std::uint32_t> memory(
      static_cast<std::size_t>(pspllm::tokenizer_bytes(bytes.size(), vocab_size)) / sizeof(std::uint32_t) +
      1);
  pspllm::Tokenizer tokenizer;
  const pspllm::Status status = pspllm::load_tokenizer(pspllm::memory_source(&bytes), vocab_size,
                                                       std::as_writable_bytes(std::span(memory)), tokenizer);
  if (!status) {
    if (status.error().message.empty()) __builtin_trap();
    return 0;
  }
  for (std::int32_t token = 0; token < static_cast<std::int32_t>(vocab_size); ++token) {
    char storage = 0;
    (void)pspllm::decode(tokenizer, pspllm::bos_token, token, storage);
    const std::int32_t found = pspllm::find_piece(tokenizer, pspllm::piece_of(tokenizer, token));
    if (found == pspllm::no_token ||
        pspllm::piece_of(tokenizer, found) != pspllm::piece_of(tokenizer, token)) {
      __builtin_trap();
    }
  }
  return 0;
}
