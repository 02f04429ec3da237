// One decoder layer as floats.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "host/formats/checkpoint.hpp"
#include "host/quantize/dense/matrix.hpp"

namespace pspllm::host {

/// The roles of a layer's matrices, in the order in which a token meets them.
inline constexpr std::array layer_matrix_roles{
    TensorRole::query, TensorRole::key, TensorRole::value, TensorRole::attention_output,
    TensorRole::gate,  TensorRole::up,  TensorRole::down};

struct FloatLayer {
  std::vector<float> attention_norm;  // [dim]
  std::vector<float> ffn_norm;        // [dim]
  FloatMatrix query;                  // [dim, dim]
  FloatMatrix key;                    // [kv_dim, dim]
  FloatMatrix value;                  // [kv_dim, dim]
  FloatMatrix attention_output;       // [dim, dim]
  FloatMatrix gate;                   // [hidden_dim, dim]
  FloatMatrix up;                     // [hidden_dim, dim]
  FloatMatrix down;                   // [dim, hidden_dim]

  /// role: one of layer_matrix_roles.
  [[nodiscard]] FloatMatrix& matrix(TensorRole role) noexcept;
  [[nodiscard]] const FloatMatrix& matrix(TensorRole role) const noexcept;
};

/// Reads one tensor. Throws Failure, also where a value is not finite or the tensor is missing.
[[nodiscard]] FloatMatrix read_tensor(const Checkpoint& checkpoint, TensorRole role, std::uint32_t layer);

[[nodiscard]] FloatLayer read_layer(const Checkpoint& checkpoint, std::uint32_t layer);

}  // namespace pspllm::host
