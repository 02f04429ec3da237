#include "engine/model/tensor_order.hpp"

namespace pspllm {
namespace {

constexpr TensorRole layer_roles[] = {TensorRole::attention_norm,
                                      TensorRole::query,
                                      TensorRole::key,
                                      TensorRole::value,
                                      TensorRole::attention_output,
                                      TensorRole::ffn_norm,
                                      TensorRole::gate,
                                      TensorRole::up,
                                      TensorRole::down};
constexpr std::uint32_t tensors_per_layer = sizeof layer_roles / sizeof layer_roles[0];

OrderedTensor with_shape(const ModelConfig& config, TensorRole role, std::uint32_t layer) noexcept {
  switch (role) {
    case TensorRole::token_embedding:
    case TensorRole::classifier:
      return {role, layer, config.vocab_size, config.dim};
    case TensorRole::attention_norm:
    case TensorRole::ffn_norm:
    case TensorRole::final_norm:
      return {role, layer, 1, config.dim};
    case TensorRole::query:
    case TensorRole::attention_output:
      return {role, layer, config.dim, config.dim};
    case TensorRole::key:
    case TensorRole::value:
      return {role, layer, config.kv_dim(), config.dim};
    case TensorRole::gate:
    case TensorRole::up:
      return {role, layer, config.hidden_dim, config.dim};
    case TensorRole::down:
      return {role, layer, config.dim, config.hidden_dim};
  }
  return {};
}

}  // namespace

std::uint32_t ordered_tensor_count(const ModelConfig& config) noexcept {
  return config.n_layers * tensors_per_layer + (config.tied_classifier ? 2 : 3);
}

OrderedTensor ordered_tensor(const ModelConfig& config, std::uint32_t index) noexcept {
  if (index == 0) return with_shape(config, TensorRole::token_embedding, 0);
  const std::uint32_t behind_embedding = index - 1;
  const std::uint32_t layer = behind_embedding / tensors_per_layer;
  if (layer < config.n_layers) {
    return with_shape(config, layer_roles[behind_embedding % tensors_per_layer], layer);
  }
  const bool is_final_norm = behind_embedding == config.n_layers * tensors_per_layer;
  return with_shape(config, is_final_norm ? TensorRole::final_norm : TensorRole::classifier, 0);
}

}  // namespace pspllm
