// The shape of a Llama-style decoder, and the rules that make a shape runnable.
#pragma once

#include <cstdint>

#include "engine/core/result.hpp"

namespace pspllm {

/// Hyper-parameters, as llama2.c names them. Valid after validate() said so.
struct ModelConfig {
  std::uint32_t dim = 0;         ///< width of the residual stream
  std::uint32_t hidden_dim = 0;  ///< width of the feed-forward layer
  std::uint32_t n_layers = 0;
  std::uint32_t n_heads = 0;     ///< query heads; head_dim = dim / n_heads
  std::uint32_t n_kv_heads = 0;  ///< key/value heads, each shared by n_heads / n_kv_heads query heads
  std::uint32_t vocab_size = 0;
  std::uint32_t seq_len = 0;    ///< longest context the model was trained for
  bool tied_classifier = true;  ///< the classifier is the token embedding
  float rope_base = 10000.0F;   ///< llama2.c fixes it; others store it
  float norm_epsilon = 1e-5F;   ///< added to the mean square in RMSNorm; llama2.c fixes it

  [[nodiscard]] constexpr std::uint32_t head_dim() const noexcept { return dim / n_heads; }
  [[nodiscard]] constexpr std::uint32_t kv_dim() const noexcept { return head_dim() * n_kv_heads; }
  /// Weights a token passes through or looks up, norms included; the classifier counts once where it is tied.
  [[nodiscard]] std::uint64_t parameter_count() const noexcept;
};

/// Every field in range and every division exact, or a sentence naming the field, its value and what is
/// right.
[[nodiscard]] Status validate(const ModelConfig& config) noexcept;

}  // namespace pspllm
