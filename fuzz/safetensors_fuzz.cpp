// Any bytes as a safetensors file: refused with a sentence, or every tensor read.
#include <span>
#include <string>

#include "fuzz/patched_input.hpp"
#include "host/core/failure.hpp"
#include "host/formats/safetensors_file.hpp"
#include "host/formats/safetensors_test_file.hpp"

namespace {

std::string good_file() {
  pspllm::host::testing::SafetensorsTestFile file;
  file.add_floats("a", {2, 3}, {1, 2, 3, 4, 5, 6});
  file.add("b", "BF16", {2}, std::string(4, 'x'));
  file.add("c", "F16", {1, 2}, std::string(4, 'x'));
  return file.bytes();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string good = good_file();
  const std::string file = pspllm::fuzz::patched_input(data, size, good);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(file));
  const pspllm::ByteSource source = pspllm::memory_source(&bytes);
  try {
    for (const auto& tensor : pspllm::host::read_safetensors_file(source, "input")) {
      if (!pspllm::host::is_importable_dtype(tensor.dtype)) continue;
      const auto values = pspllm::host::read_safetensors_values(source, "input", tensor);
      if (values.size() != tensor.rows() * tensor.cols()) __builtin_trap();
    }
  } catch (const pspllm::host::Failure& failure) {
    if (std::string(failure.what()).empty()) __builtin_trap();
  }
  return 0;
}
