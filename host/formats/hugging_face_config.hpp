// config.json of a Hugging Face Llama model.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/model/config.hpp"
#include "host/formats/tokenizer_payload.hpp"

namespace pspllm::host {

/// What an importer takes from config.json.
struct HuggingFaceConfig {
  ModelConfig config;                   ///< validated
  std::vector<float> rope_frequencies;  ///< [head_dim / 2], scaling applied
  TokenizerHints tokenizer;
  std::string model_name;  ///< "_name_or_path"; may be empty
};

/// Reads the text of a config.json. Supported: LlamaForCausalLM; hidden_act silu; no biases; head_dim =
/// hidden_size / num_attention_heads; rope_scaling none, linear, llama3; not quantised. Anything else is
/// refused by its name. `name` stands in front of every sentence. Throws Failure.
[[nodiscard]] HuggingFaceConfig read_hugging_face_config(std::string_view text, const std::string& name);

}  // namespace pspllm::host
