#include "engine/model/tensor.hpp"

#include "engine/core/checked.hpp"
#include "engine/core/limits.hpp"

namespace pspllm {

const char* name_of(TensorRole role) noexcept {
  switch (role) {
    case TensorRole::token_embedding:
      return "token_embedding";
    case TensorRole::attention_norm:
      return "attention_norm";
    case TensorRole::query:
      return "query";
    case TensorRole::key:
      return "key";
    case TensorRole::value:
      return "value";
    case TensorRole::attention_output:
      return "attention_output";
    case TensorRole::ffn_norm:
      return "ffn_norm";
    case TensorRole::gate:
      return "gate";
    case TensorRole::down:
      return "down";
    case TensorRole::up:
      return "up";
    case TensorRole::final_norm:
      return "final_norm";
    case TensorRole::classifier:
      return "classifier";
  }
  return "?";
}

const char* name_of(TensorFormat format) noexcept {
  switch (format) {
    case TensorFormat::f32:
      return "f32";
    case TensorFormat::q80:
      return "q80";
    case TensorFormat::codes:
      return "codes";
  }
  return "?";
}

std::uint64_t scales_offset(std::uint32_t rows, std::uint32_t cols) noexcept {
  return align_up(std::uint64_t{rows} * cols, block_alignment);
}

std::uint64_t block_bytes(const TensorEntry& tensor) noexcept {
  const std::uint64_t values =
      tensor.scale_bytes == 0 ? tensor.value_bytes : scales_offset(tensor.rows, tensor.cols);
  return align_up(values + tensor.scale_bytes, block_alignment);
}

}  // namespace pspllm
