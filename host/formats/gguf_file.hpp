// The GGUF container, versions 2 and 3: typed metadata and a directory of tensors (specification:
// docs/gguf.md of ggml-org/ggml). The file is untrusted: every count, length, offset, alignment and overlap
// is checked against the file's size before anything is believed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/byte_source.hpp"
#include "host/formats/gguf_blocks.hpp"
#include "host/formats/gguf_metadata.hpp"

namespace pspllm::host {

struct GgufTensor {
  std::string name;
  const GgufBlockFormat* format = nullptr;
  std::vector<std::uint64_t> dimensions;  ///< 1 … 4, the contiguous one first, as the file lists them
  std::uint64_t offset = 0;               ///< from the start of the file
  std::uint64_t bytes = 0;

  /// Weights of one row.
  [[nodiscard]] std::uint64_t cols() const noexcept { return dimensions.front(); }
  /// All other dimensions multiplied.
  [[nodiscard]] std::uint64_t rows() const noexcept;
};

struct GgufFile {
  std::uint32_t version = 0;
  std::uint32_t alignment = 0;  ///< of tensors, bytes
  GgufMetadata metadata;
  std::vector<GgufTensor> tensors;  ///< in the order of the directory
};

/// Reads header, metadata and directory, not the tensors. `name` stands in front of every sentence. Throws
/// Failure: truncated, damaged, another version or byte order, one part of a split model.
[[nodiscard]] GgufFile read_gguf_file(const ByteSource& source, const std::string& name);

}  // namespace pspllm::host
