// Any bytes as a draft table: refused with a sentence, or proposing only tokens of the vocabulary.
#include <vector>

#include "engine/model/draft.hpp"
#include "engine/text/tokenizer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint32_t vocab_size = 300;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  std::vector<std::uint32_t> memory(size / sizeof(std::uint32_t) + 1);
  pspllm::DraftTable table;
  const pspllm::Status status = pspllm::load_draft_table(pspllm::memory_source(&bytes), vocab_size,
                                                         std::as_writable_bytes(std::span(memory)), table);
  if (!status && status.error().message.empty()) __builtin_trap();
  const std::int32_t text[] = {1, 2, 3, 4};
  const std::int32_t proposed = pspllm::propose(table, text);
  if (proposed != pspllm::no_token && proposed >= static_cast<std::int32_t>(vocab_size)) __builtin_trap();
  return 0;
}
