// The files that the engine reads itself (llama2.c's and .pspm) as Checkpoints.
#pragma once

#include <string>

#include "host/formats/checkpoint.hpp"

namespace pspllm::host {

/// A llama2.c file with its vocabulary, which lies beside it where `tokenizer_path` is empty, or a .pspm
/// file, which holds its own. Tensors that are stored as q80 or codes give their exact bytes
/// (Checkpoint::stored). Throws Failure: what read_model_file() says, a vocabulary that does not belong to
/// the model, damage that is found when a tensor is read.
[[nodiscard]] Checkpoint open_engine_checkpoint(const std::string& path, const std::string& tokenizer_path);

}  // namespace pspllm::host
