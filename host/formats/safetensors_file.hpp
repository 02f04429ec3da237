// The safetensors container: a JSON directory, then the tensors (specification: README.md of
// huggingface/safetensors). The file is untrusted: lengths, shapes, offsets and overlaps are checked against
// its size.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/core/byte_source.hpp"

namespace pspllm::host {

struct SafetensorsTensor {
  std::string name;
  std::string dtype;                 ///< "F32", "BF16" …
  std::vector<std::uint64_t> shape;  ///< outermost first; empty for a scalar
  std::uint64_t offset = 0;          ///< from the start of the file
  std::uint64_t bytes = 0;

  /// Elements of the innermost dimension, and of all others multiplied.
  [[nodiscard]] std::uint64_t cols() const noexcept { return shape.empty() ? 1 : shape.back(); }
  [[nodiscard]] std::uint64_t rows() const noexcept;
};

/// Reads the directory. `name` stands in front of every sentence. Throws Failure: truncated, damaged, too
/// large a directory, tensors that overlap or reach past the end, an unknown dtype.
[[nodiscard]] std::vector<SafetensorsTensor> read_safetensors_file(const ByteSource& source,
                                                                   const std::string& name);

/// Whether tensors of this dtype can be imported: F32, F16, BF16.
[[nodiscard]] bool is_importable_dtype(const std::string& dtype) noexcept;

/// The tensor's elements as floats, row-major; its dtype must be importable. Throws Failure where the file
/// cannot be read.
[[nodiscard]] std::vector<float> read_safetensors_values(const ByteSource& source, const std::string& name,
                                                         const SafetensorsTensor& tensor);

}  // namespace pspllm::host
