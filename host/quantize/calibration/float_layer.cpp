#include "host/quantize/calibration/float_layer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "host/core/failure.hpp"

namespace pspllm::host {
namespace {

void require_finite(const CheckpointTensor& tensor, const FloatMatrix& matrix) {
  for (std::size_t i = 0; i < matrix.values.size(); ++i) {
    const float value = matrix.values[i];
    if (std::isfinite(value)) continue;
    throw Failure(fmt::format(
        "tensor {}, row {}, column {} is {}, expected a finite number; the model is damaged or its "
        "training went wrong",
        tensor.name, i / matrix.cols, i % matrix.cols, std::isnan(value) ? "not a number" : "infinite"));
  }
}

}  // namespace

const FloatMatrix& FloatLayer::matrix(TensorRole role) const noexcept {
  switch (role) {
    case TensorRole::query:
      return query;
    case TensorRole::key:
      return key;
    case TensorRole::value:
      return value;
    case TensorRole::attention_output:
      return attention_output;
    case TensorRole::gate:
      return gate;
    case TensorRole::up:
      return up;
    default:
      return down;
  }
}

FloatMatrix& FloatLayer::matrix(TensorRole role) noexcept {
  return const_cast<FloatMatrix&>(std::as_const(*this).matrix(role));
}

FloatMatrix read_tensor(const Checkpoint& checkpoint, TensorRole role, std::uint32_t layer) {
  const auto found = std::find_if(
      checkpoint.tensors.begin(), checkpoint.tensors.end(),
      [&](const CheckpointTensor& tensor) { return tensor.role == role && tensor.layer == layer; });
  if (found == checkpoint.tensors.end()) {
    throw Failure(fmt::format("the model has no {} of layer {}", name_of(role), layer));
  }
  FloatMatrix matrix;
  matrix.rows = found->rows;
  matrix.cols = found->cols;
  matrix.values = checkpoint.read(*found);
  require_finite(*found, matrix);
  return matrix;
}

FloatLayer read_layer(const Checkpoint& checkpoint, std::uint32_t layer) {
  FloatLayer result;
  result.attention_norm = read_tensor(checkpoint, TensorRole::attention_norm, layer).values;
  result.ffn_norm = read_tensor(checkpoint, TensorRole::ffn_norm, layer).values;
  for (const TensorRole role : layer_matrix_roles) result.matrix(role) = read_tensor(checkpoint, role, layer);
  return result;
}

}  // namespace pspllm::host
