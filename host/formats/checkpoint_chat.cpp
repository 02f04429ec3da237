#include "host/formats/checkpoint_chat.hpp"

#include <fmt/format.h>

#include "host/core/failure.hpp"
#include "host/formats/chat_presets.hpp"
#include "host/formats/loaded_codec.hpp"

namespace pspllm::host {
namespace {

std::vector<std::byte> payload_for(const ChatChoice& choice, const Checkpoint& checkpoint) {
  const std::span<const std::byte> bytes(checkpoint.tokenizer);
  const LoadedCodec loaded(checkpoint.tokenizer_kind, memory_source(&bytes), checkpoint.config.vocab_size,
                           "the tokenizer");
  return chat_payload(choice, loaded.codec());
}

}  // namespace

void take_chat_template(const std::string& jinja, const std::string& subject, Checkpoint& checkpoint) {
  if (jinja.empty()) return;
  try {
    checkpoint.chat = payload_for(recognise_chat_template(jinja, subject), checkpoint);
  } catch (const Failure& failure) {
    checkpoint.chat_problem = failure.what();
  }
}

void choose_chat_template(const std::string& name, Checkpoint& checkpoint) {
  if (name.empty()) {
    if (!checkpoint.chat_problem.empty()) throw Failure(checkpoint.chat_problem);
    return;
  }
  checkpoint.chat_problem.clear();
  checkpoint.chat.clear();
  if (name == no_template_name) return;
  checkpoint.chat = payload_for({.preset = require_chat_preset(name)}, checkpoint);
}

}  // namespace pspllm::host
