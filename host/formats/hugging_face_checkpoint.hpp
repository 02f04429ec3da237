// A Hugging Face Llama folder as a Checkpoint: config.json, model.safetensors or its shards, tokenizer.json.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/formats/checkpoint.hpp"

namespace pspllm::host {

/// Opens the folder; the checkpoint keeps its weight files open. An empty tokenizer_path means the folder's
/// tokenizer.json; otherwise it is a llama2.c tokenizer.bin. Throws Failure: a file that is missing or
/// damaged, anything that is not supported (by its name).
[[nodiscard]] Checkpoint open_hugging_face_checkpoint(const std::string& folder,
                                                      const std::string& tokenizer_path = {});

/// Query or key rows [n_heads * head_dim, cols] from Hugging Face's order to the engine's: a head's first
/// half rotates with its second half there, neighbours with each other here.
[[nodiscard]] std::vector<float> interleave_rope_rows(std::span<const float> values, std::uint32_t cols,
                                                      std::uint32_t head_dim);

}  // namespace pspllm::host
