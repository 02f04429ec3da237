// Any bytes as a chat template: refused with a sentence, or turns of tokens of the vocabulary.
#include <span>
#include <string>
#include <vector>

#include "engine/text/chat_template.hpp"
#include "fuzz/patched_input.hpp"
#include "host/formats/byte_level_payload.hpp"
#include "host/formats/chat_payload.hpp"
#include "host/formats/loaded_codec.hpp"

namespace {

pspllm::host::LoadedCodec make_codec() {
  pspllm::host::ByteLevelVocabulary vocabulary;
  for (int byte = 0; byte < 256; ++byte) vocabulary.pieces.emplace_back(1, static_cast<char>(byte));
  vocabulary.pieces.insert(vocabulary.pieces.end(), {"<s>", "</s>", "user", "\n\n"});
  vocabulary.kinds.assign(vocabulary.pieces.size(), pspllm::ByteLevelTextKind::piece);
  vocabulary.kinds[256] = vocabulary.kinds[257] = pspllm::ByteLevelTextKind::special;
  vocabulary.merges = {{'\n', '\n', 259}};
  return pspllm::host::LoadedCodec({pspllm::PspmTokenizerKind::byte_level,
                                    static_cast<std::uint32_t>(vocabulary.pieces.size()),
                                    pspllm::host::byte_level_payload(vocabulary)});
}

std::string good_payload() {
  using pspllm::ChatSegment;
  pspllm::host::ChatDescription chat;
  chat.name = "test";
  chat.default_system = "Be brief.";
  chat.segment(ChatSegment::beginning) = {256};
  chat.segment(ChatSegment::system_prefix) = {256, "system\n"};
  chat.segment(ChatSegment::system_suffix) = {257, "\n"};
  chat.segment(ChatSegment::user_prefix) = {256, "user\n"};
  chat.segment(ChatSegment::assistant_suffix) = {257, "\n"};
  chat.stops = {257};
  const std::vector<std::byte> payload = pspllm::host::write_chat_payload(chat);
  return {reinterpret_cast<const char*>(payload.data()), payload.size()};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const pspllm::host::LoadedCodec codec = make_codec();
  static const std::string good = good_payload();
  const std::string payload = pspllm::fuzz::patched_input(data, size, good);
  // The engine reads it where it is aligned.
  std::vector<std::uint32_t> memory(payload.size() / sizeof(std::uint32_t) + 1);
  if (!payload.empty()) std::memcpy(memory.data(), payload.data(), payload.size());
  const auto bytes = std::as_bytes(std::span(memory)).first(payload.size());
  pspllm::ChatTemplate chat_template;
  const pspllm::Status status = pspllm::read_chat_template(bytes, codec.codec().vocab_size(), chat_template);
  if (!status) {
    if (status.error().message.empty()) __builtin_trap();
    return 0;
  }
  std::vector<std::uint32_t> scratch(20000);
  const std::string_view words(reinterpret_cast<const char*>(data), size < 200 ? size : 200);
  for (const bool is_first : {true, false}) {
    const auto tokens = pspllm::encode_turn(codec.codec(), chat_template, {is_first, {}, words},
                                            std::as_writable_bytes(std::span(scratch)));
    if (!tokens) continue;
    for (const std::int32_t token : tokens.value()) {
      if (token < 0 || token >= static_cast<std::int32_t>(codec.codec().vocab_size())) __builtin_trap();
      (void)pspllm::is_stop(chat_template, token);
    }
  }
  return 0;
}
