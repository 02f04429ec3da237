#include "engine/model/config.hpp"

#include "engine/core/limits.hpp"

namespace pspllm {
namespace {

Status check_range(const char* field, std::uint32_t value, std::uint32_t largest) noexcept {
  if (value >= 1 && value <= largest) return {};
  return bad_input("model header: ", field, " is ",
                   static_cast<std::int64_t>(static_cast<std::int32_t>(value)), ", expected 1 to ", largest,
                   "; the file is damaged or not a model");
}

}  // namespace

std::uint64_t ModelConfig::parameter_count() const noexcept {
  const std::uint64_t d = dim;
  const std::uint64_t attention = d * d * 2 + d * kv_dim() * 2;
  const std::uint64_t feed_forward = d * hidden_dim * 3;
  const std::uint64_t embeddings = d * vocab_size * (tied_classifier ? 1 : 2);
  return embeddings + n_layers * (attention + feed_forward + 2 * d) + d;
}

Status validate(const ModelConfig& config) noexcept {
  const struct {
    const char* name;
    std::uint32_t value;
    std::uint32_t largest;
  } fields[] = {
      {"dim", config.dim, max_dim},
      {"hidden_dim", config.hidden_dim, max_dim},
      {"n_layers", config.n_layers, max_layers},
      {"n_heads", config.n_heads, max_dim},
      {"n_kv_heads", config.n_kv_heads, max_dim},
      {"vocab_size", config.vocab_size, max_vocab_size},
      {"seq_len", config.seq_len, max_context},
  };
  for (const auto& field : fields) {
    if (Status status = check_range(field.name, field.value, field.largest); !status) return status;
  }
  if (config.dim % config.n_heads != 0) {
    return bad_input("model header: dim ", config.dim, " is not a multiple of n_heads ", config.n_heads,
                     ", so the heads have no whole width");
  }
  if (config.head_dim() % 2 != 0) {
    return bad_input("model header: dim ", config.dim, " / n_heads ", config.n_heads, " = ",
                     config.head_dim(), " is odd; rotary embedding needs an even head width");
  }
  if (config.n_heads % config.n_kv_heads != 0) {
    return bad_input("model header: n_heads ", config.n_heads, " is not a multiple of n_kv_heads ",
                     config.n_kv_heads, ", so query heads cannot share key/value heads evenly");
  }
  return {};
}

}  // namespace pspllm
