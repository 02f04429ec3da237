// Any bytes as a GGUF model: refused with a sentence, or every tensor read.
#include <span>
#include <string>

#include "fuzz/patched_input.hpp"
#include "host/core/failure.hpp"
#include "host/formats/gguf_checkpoint.hpp"
#include "host/formats/gguf_test_model.hpp"

namespace {

std::string good_file() {
  pspllm::host::testing::Shape shape;
  shape.dim = 2;
  shape.hidden_dim = 4;
  shape.n_layers = 1;
  shape.n_heads = 1;
  shape.vocab_size = 8;
  shape.tied = false;
  return pspllm::host::testing::tiny_model(shape).bytes();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string good = good_file();
  const std::string file = pspllm::fuzz::patched_input(data, size, good);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(file));
  try {
    const pspllm::host::Checkpoint checkpoint =
        pspllm::host::import_gguf(pspllm::memory_source(&bytes), "input");
    for (const pspllm::host::CheckpointTensor& tensor : checkpoint.tensors) {
      if (checkpoint.read(tensor).size() != std::size_t{tensor.rows} * tensor.cols) __builtin_trap();
    }
  } catch (const pspllm::host::Failure& failure) {
    if (std::string(failure.what()).empty()) __builtin_trap();
  }
  return 0;
}
