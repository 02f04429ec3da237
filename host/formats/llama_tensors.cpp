#include "host/formats/llama_tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/model/tensor_order.hpp"
#include "host/core/failure.hpp"
#include "host/formats/printable.hpp"

namespace pspllm::host {
namespace {

void check_shape(const std::string& file, const CheckpointTensor& wanted, const SourceTensor& found) {
  if (found.rows == wanted.rows && found.cols == wanted.cols) return;
  throw Failure(
      fmt::format("{}: the tensor {} is [{}, {}], expected [{}, {}] by the model's shape; the file is "
                  "damaged or has another architecture",
                  file, printable(wanted.name), found.rows, found.cols, wanted.rows, wanted.cols));
}

}  // namespace

std::vector<CheckpointTensor> llama_tensors(const ModelConfig& config, const TensorNamer& namer) {
  std::vector<CheckpointTensor> tensors;
  for (std::uint32_t i = 0; i < ordered_tensor_count(config); ++i) {
    const OrderedTensor place = ordered_tensor(config, i);
    tensors.push_back({place.role, place.layer, place.rows, place.cols, namer(place.role, place.layer), {}});
  }
  return tensors;
}

std::vector<CheckpointTensor> match_llama_tensors(const std::string& file, const ModelConfig& config,
                                                  const TensorNamer& namer,
                                                  const std::vector<SourceTensor>& available,
                                                  const std::function<bool(const std::string&)>& ignored) {
  std::map<std::string, const SourceTensor*> by_name;
  for (const SourceTensor& tensor : available) by_name.emplace(tensor.name, &tensor);
  std::vector<CheckpointTensor> tensors = llama_tensors(config, namer);
  std::set<std::string> used;
  for (CheckpointTensor& tensor : tensors) {
    const auto found = by_name.find(tensor.name);
    if (found == by_name.end()) {
      throw Failure(
          fmt::format("{}: the tensor {} is missing, expected [{}, {}]; the file is incomplete or has "
                      "another architecture",
                      file, tensor.name, tensor.rows, tensor.cols));
    }
    check_shape(file, tensor, *found->second);
    tensor.source_type = found->second->type;
    used.insert(tensor.name);
  }
  for (const SourceTensor& tensor : available) {
    if (used.count(tensor.name) != 0 || ignored(tensor.name)) continue;
    throw Failure(
        fmt::format("{}: the tensor {} has no place in a Llama-style decoder of {} layers (biases, "
                    "experts and adapters are not supported)",
                    file, printable(tensor.name), config.n_layers));
  }
  return tensors;
}

void require_finite(const std::string& file, const CheckpointTensor& tensor,
                    const std::vector<float>& values) {
  const auto bad =
      std::find_if(values.begin(), values.end(), [](float value) { return !std::isfinite(value); });
  if (bad == values.end()) return;
  const auto index = static_cast<std::size_t>(bad - values.begin());
  throw Failure(
      fmt::format("{}: the tensor {} is {} at row {}, column {}, expected a finite number; the model "
                  "is damaged or its training went wrong",
                  file, printable(tensor.name), std::isnan(*bad) ? "not a number" : "infinite",
                  index / tensor.cols, index % tensor.cols));
}

}  // namespace pspllm::host
