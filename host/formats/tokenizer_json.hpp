// Hugging Face's tokenizer.json: byte-level BPE of the kinds that the engine knows.
#pragma once

#include <string>
#include <string_view>

#include "host/formats/tokenizer_payload.hpp"

namespace pspllm::host {

/// Reads a tokenizer.json's text. Supported: model BPE without byte fallback, prefix or suffix; the
/// pre-tokenizers of GPT-2, SmolLM2 and Llama 3; no normalizer; decoder ByteLevel; post-processors that do
/// nothing or put BOS in front; added tokens that are special. Special tokens are matched in no user's text.
/// Merges whose pieces are not all there do not exist. Throws Failure where the text is damaged or asks for
/// anything else, naming it. `name` stands in front of every sentence.
[[nodiscard]] TokenizerPayload read_tokenizer_json(std::string_view text, const TokenizerHints& hints,
                                                   const std::string& name);

}  // namespace pspllm::host
