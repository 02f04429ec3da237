// A random model for tests, small enough to be quantised in a moment.
#pragma once

#include <functional>
#include <memory>

#include "host/formats/checkpoint.hpp"
#include "host/quantize/codes/random_numbers.hpp"
#include "host/quantize/model/calibration_tokens.hpp"
#include "host/quantize/model/recipe.hpp"

namespace pspllm::host {

/// Changes a tensor's values as they are read.
using Spoil = std::function<void(const CheckpointTensor&, std::vector<float>&)>;

inline Checkpoint tiny_checkpoint(bool tied_classifier = true, Spoil spoil = {}) {
  Checkpoint checkpoint;
  ModelConfig& config = checkpoint.config;
  config.dim = 48;
  config.hidden_dim = 96;
  config.n_layers = 3;
  config.n_heads = 4;
  config.n_kv_heads = 2;
  config.vocab_size = 80;
  config.seq_len = 16;
  config.tied_classifier = tied_classifier;
  checkpoint.rope_frequencies = {1.0F, 0.5F, 0.2F, 0.1F, 0.02F, 0.01F};
  const auto add = [&](TensorRole role, std::uint32_t layer, MatrixShape shape) {
    CheckpointTensor tensor;
    tensor.role = role;
    tensor.layer = layer;
    tensor.rows = shape.rows;
    tensor.cols = shape.cols;
    tensor.name = std::string(name_of(role)) + "." + std::to_string(layer);
    checkpoint.tensors.push_back(tensor);
  };
  add(TensorRole::token_embedding, 0, {config.vocab_size, config.dim});
  for (std::uint32_t layer = 0; layer < config.n_layers; ++layer) {
    add(TensorRole::attention_norm, layer, {1, config.dim});
    for (const TensorRole role : layer_matrix_roles) {
      if (role == TensorRole::gate) add(TensorRole::ffn_norm, layer, {1, config.dim});
      add(role, layer, shape_of(role, config));
    }
  }
  add(TensorRole::final_norm, 0, {1, config.dim});
  if (!tied_classifier) add(TensorRole::classifier, 0, {config.vocab_size, config.dim});
  checkpoint.read = [spoil = std::move(spoil)](const CheckpointTensor& tensor) {
    RandomNumbers random(static_cast<std::uint64_t>(tensor.role) * 100 + tensor.layer);
    std::vector<float> values(std::size_t{tensor.rows} * tensor.cols);
    for (float& value : values) {
      value = static_cast<float>(random.unit() + random.unit() + random.unit() - 1.5) * 0.3F;
      if (tensor.rows == 1) value += 1.0F;
    }
    if (spoil) spoil(tensor, values);
    return values;
  };
  return checkpoint;
}

inline CalibrationTokens tiny_calibration() {
  RandomNumbers random(5);
  std::vector<std::int32_t> ids(16 * 40);
  for (std::int32_t& id : ids) id = static_cast<std::int32_t>(random.below(80));
  return cut_windows(ids, 16, ids.size(), "test");
}

}  // namespace pspllm::host
