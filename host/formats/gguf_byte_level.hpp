// Byte-level vocabularies in GGUF's metadata (tokenizer.ggml.model "gpt2").
#pragma once

#include <fmt/format.h>

#include <cstdint>

#include "host/core/failure.hpp"
#include "host/formats/byte_level_payload.hpp"
#include "host/formats/gguf_metadata.hpp"

namespace pspllm::host {

/// Throws Failure: incomplete, of another size than the model's vocabulary, a pre-tokenizer or a kind of
/// token that is not supported (by its name).
[[nodiscard]] ByteLevelVocabulary read_gguf_byte_level(const GgufMetadata& metadata,
                                                       std::uint32_t vocab_size);

[[noreturn]] inline void refuse_gguf(const GgufMetadata& metadata, const std::string& sentence) {
  throw Failure(metadata.file_name + ": " + sentence);
}

/// A required list with an element for each piece of the vocabulary.
template <typename Elements>
const Elements& whole_gguf_list(const GgufMetadata& metadata, const Elements* list, const char* key,
                                std::uint32_t vocab_size) {
  if (list == nullptr)
    refuse_gguf(metadata, fmt::format("the metadata lacks {}; the file is incomplete", key));
  if (list->size() != vocab_size) {
    refuse_gguf(metadata,
                fmt::format("{} has {} elements, but the model's vocabulary has {}; the file is damaged", key,
                            list->size(), vocab_size));
  }
  return *list;
}

}  // namespace pspllm::host
