// A GGUF file of architecture "llama" as a Checkpoint.
#pragma once

#include <string>

#include "engine/core/byte_source.hpp"
#include "host/formats/checkpoint.hpp"

namespace pspllm::host {

/// Imports from `source`, which must live as long as the checkpoint is read from. `name` stands in front of
/// every sentence. GGUF keeps query and key rows of this architecture in interleaved RoPE pairs already, as
/// the engine wants them. Throws Failure: a damaged file; another architecture, tokenizer, RoPE scaling or
/// number format than those supported, by its name.
[[nodiscard]] Checkpoint import_gguf(const ByteSource& source, const std::string& name);

/// The same from a file, which the checkpoint keeps open.
[[nodiscard]] Checkpoint open_gguf_checkpoint(const std::string& path);

}  // namespace pspllm::host
