// The tensors of a Llama-style model in the order in which a pass uses them: the order of .pspm files and of
// what importers give.
#pragma once

#include <cstdint>

#include "engine/model/config.hpp"
#include "engine/model/tensor.hpp"

namespace pspllm {

/// Which tensor stands at a place, and its shape. Norms are one row a layer.
struct OrderedTensor {
  TensorRole role = TensorRole::token_embedding;
  std::uint32_t layer = 0;  ///< 0 for tensors that belong to no layer
  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
};

/// Nine a layer, embedding, final norm, and the classifier where it is not tied.
[[nodiscard]] std::uint32_t ordered_tensor_count(const ModelConfig& config) noexcept;

/// Embedding; per layer attention norm, query, key, value, attention output, feed-forward norm, gate, up,
/// down; final norm; classifier. index < ordered_tensor_count(config).
[[nodiscard]] OrderedTensor ordered_tensor(const ModelConfig& config, std::uint32_t index) noexcept;

}  // namespace pspllm
