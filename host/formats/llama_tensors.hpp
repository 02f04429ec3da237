// The tensors that a Llama-style decoder consists of, for importers: what to look for, and what its shape has
// to be.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/model/config.hpp"
#include "host/formats/checkpoint.hpp"

namespace pspllm::host {

/// A tensor as a source file lists it.
struct SourceTensor {
  std::string name;
  std::string type;        ///< its number format's name
  std::uint64_t rows = 0;  ///< 1 for vectors
  std::uint64_t cols = 0;
};

/// How a source names the tensor of a role; `layer` only where the role belongs to one.
using TensorNamer = std::function<std::string(TensorRole role, std::uint32_t layer)>;

/// The tensors of a model of this shape in the order of use, shapes filled in, names as the source has them.
[[nodiscard]] std::vector<CheckpointTensor> llama_tensors(const ModelConfig& config,
                                                          const TensorNamer& namer);

/// Finds each of llama_tensors() among `available`, checks its shape and fills in source_type. Throws Failure
/// that names `file` and the tensor: missing, of another shape, or left over in the file although it is none
/// of `ignored`.
[[nodiscard]] std::vector<CheckpointTensor> match_llama_tensors(
    const std::string& file, const ModelConfig& config, const TensorNamer& namer,
    const std::vector<SourceTensor>& available, const std::function<bool(const std::string&)>& ignored);

/// Throws Failure that names tensor, row and column of the first number that is not finite.
void require_finite(const std::string& file, const CheckpointTensor& tensor,
                    const std::vector<float>& values);

}  // namespace pspllm::host
