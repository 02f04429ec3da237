// The tokenizer inside a GGUF file's metadata (keys tokenizer.ggml.*).
#pragma once

#include "host/formats/checkpoint.hpp"
#include "host/formats/gguf_metadata.hpp"

namespace pspllm::host {

/// Fills in tokenizer_kind and tokenizer; checkpoint.config must be there. "llama" (SentencePiece with
/// scores) becomes a llama2.c vocabulary, "gpt2" a byte-level one. Throws Failure: incomplete, of another
/// size than the model's vocabulary, of another kind (by its name).
void read_gguf_tokenizer(const GgufMetadata& metadata, Checkpoint& checkpoint);

}  // namespace pspllm::host
