// What lies in another program's model file: what `pspllm inspect` prints of GGUF and safetensors files, also
// of those that cannot be imported.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pspllm::host {

struct ContainerTensor {
  std::string name;
  std::string format;                ///< as the file names it: "Q4_K", "BF16" …
  std::vector<std::uint64_t> shape;  ///< outermost dimension first
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

struct Container {
  std::string path;
  std::string kind;  ///< "GGUF version 3", "safetensors"
  std::uint64_t file_bytes = 0;
  std::vector<std::pair<std::string, std::string>> metadata;  ///< long values cut, lists as their length
  std::vector<ContainerTensor> tensors;
};

/// Reads the directory where the file is a GGUF or safetensors file; nothing where it is neither. Throws
/// Failure: the file cannot be opened or is damaged.
[[nodiscard]] std::optional<Container> read_container(const std::string& path);

[[nodiscard]] std::string container_text(const Container& container);
[[nodiscard]] nlohmann::json container_json(const Container& container);

}  // namespace pspllm::host
