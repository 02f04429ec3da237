#include "host/quantize/model/write_codes.hpp"

#include <algorithm>

#include "host/formats/pspm_writer.hpp"
#include "host/formats/tensor_values.hpp"

namespace pspllm::host {
namespace {

/// The codes of a tensor; null for norms.
const CodeWeights* codes_of(const CheckpointTensor& tensor, const QuantizedModel& model) {
  if (tensor.role == TensorRole::token_embedding) return &model.embedding;
  if (tensor.role == TensorRole::classifier) return model.classifier ? &*model.classifier : nullptr;
  const auto* const found = std::find(layer_matrix_roles.begin(), layer_matrix_roles.end(), tensor.role);
  if (found == layer_matrix_roles.end()) return nullptr;
  return &model.layers[tensor.layer].matrices[static_cast<std::size_t>(found - layer_matrix_roles.begin())];
}

}  // namespace

std::uint64_t write_codes(const Checkpoint& checkpoint, const QuantizedModel& model,
                          const std::string& out_path) {
  std::vector<StoredFormat> formats;
  for (const CheckpointTensor& tensor : checkpoint.tensors) {
    const CodeWeights* const codes = codes_of(tensor, model);
    formats.push_back(codes == nullptr ? StoredFormat{TensorFormat::f32, 0}
                                       : StoredFormat{TensorFormat::codes, codes->code_width});
  }
  PspmWriter writer(out_path, checkpoint, formats);
  for (std::size_t i = 0; i < formats.size(); ++i) {
    const CheckpointTensor& tensor = checkpoint.tensors[i];
    const CodeWeights* const codes = codes_of(tensor, model);
    writer.write_tensor(codes == nullptr
                            ? encode_values(checkpoint.read(tensor), tensor.rows, tensor.cols, formats[i])
                            : code_bytes(*codes));
  }
  writer.commit();
  return writer.file_bytes();
}

}  // namespace pspllm::host
