#include "host/formats/checkpoint.hpp"

#include "host/formats/engine_checkpoint.hpp"

namespace pspllm::host {

Checkpoint open_checkpoint(const std::string& path, const std::string& tokenizer_path) {
  return open_engine_checkpoint(path, tokenizer_path);
}

}  // namespace pspllm::host
