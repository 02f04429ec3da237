// Which tensor is stored at which rate: the code width (weights a byte) of every matrix. A JSON file that
// people can edit.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/config.hpp"
#include "host/quantize/calibration/float_layer.hpp"

namespace pspllm::host {

/// Code widths of a layer's matrices, in the order of layer_matrix_roles.
using LayerWidths = std::array<std::uint32_t, layer_matrix_roles.size()>;

struct Recipe {
  std::uint32_t embedding = 2;
  std::uint32_t classifier = 2;  ///< without effect where it is tied to the embedding
  std::vector<LayerWidths> layers;
};

/// Embedding and classifier at 4 bits a weight, value at 2, all others at 8/6: the mix that was measured best
/// near 1.5 bits.
[[nodiscard]] Recipe default_recipe(const ModelConfig& config);

/// The same width for every matrix of every layer.
[[nodiscard]] Recipe even_recipe(const ModelConfig& config, std::uint32_t width, std::uint32_t embedding);

/// Reads a recipe: {"embedding": 2, "classifier": 2, "matrices": {"value": 4, ...}, "layers": {"0": {"query":
/// 4}, ...}}. Everything may be left out: what no entry names keeps the default recipe's width. Throws
/// Failure: no JSON, unknown names, layers or widths.
[[nodiscard]] Recipe parse_recipe(const std::string& text, const std::string& path,
                                  const ModelConfig& config);

/// The JSON that parse_recipe() reads, most common widths under "matrices", exceptions under "layers".
[[nodiscard]] std::string recipe_text(const Recipe& recipe);

/// Bytes of all tensors of a model stored by the recipe, norms in fp32 included.
[[nodiscard]] std::uint64_t recipe_bytes(const Recipe& recipe, const ModelConfig& config);

/// Bits a weight, everything included: scales, codebooks, norms.
[[nodiscard]] double bits_per_weight(const Recipe& recipe, const ModelConfig& config);

/// Rows and columns of a layer's matrix. role: one of layer_matrix_roles.
struct MatrixShape {
  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
};
[[nodiscard]] MatrixShape shape_of(TensorRole role, const ModelConfig& config) noexcept;

}  // namespace pspllm::host
