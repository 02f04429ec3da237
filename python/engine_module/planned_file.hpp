// What a model's file would be at other numbers, without making it: enough for a memory plan.
#pragma once

#include <cstdint>
#include <string>

#include "engine/model/model_file.hpp"
#include "host/formats/checkpoint.hpp"

namespace pspllm::python {

/// Numbers of the matrices; norms are f32 always.
struct PlannedNumbers {
  TensorFormat format = TensorFormat::q80;
  std::uint32_t code_width = 6;       ///< codes: weights a byte, 1 … max_code_width
  std::uint32_t embedding_width = 2;  ///< the same for embedding and classifier
};

/// "f32", "q80" or "codes". Throws Failure for others.
[[nodiscard]] TensorFormat format_named(const std::string& name);

/// The directory that a .pspm file of the checkpoint would have, places and checksums left out. Throws
/// Failure where the model has more layers than the engine takes.
[[nodiscard]] ModelFile planned_file(const host::Checkpoint& checkpoint, const PlannedNumbers& numbers);

/// Bits a weight of all tensors, scales and codebooks included.
[[nodiscard]] double bits_per_weight(const ModelFile& file) noexcept;

}  // namespace pspllm::python
