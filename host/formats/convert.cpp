#include "host/formats/convert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "host/core/failure.hpp"
#include "host/formats/pspm_writer.hpp"
#include "host/formats/tensor_values.hpp"
#include "host/io/interrupt.hpp"
#include "host/quantize/q80.hpp"

namespace pspllm::host {
namespace {

std::uint32_t checked_group_size(const ModelConfig& config, std::uint32_t group_size) {
  for (const auto& [name, length] :
       {std::pair{"dim", config.dim}, std::pair{"hidden_dim", config.hidden_dim}}) {
    if (length % group_size == 0) continue;
    throw Failure(
        fmt::format("{} {} is not a multiple of the group size {}, so rows have no whole groups; the "
                    "largest that divides every row is {}",
                    name, length, group_size, largest_q80_group(config)));
  }
  return group_size;
}

StoredFormat format_of(const CheckpointTensor& tensor, const ModelConfig& config,
                       const ConvertOptions& options) {
  if (tensor.rows == 1 || options.format == TensorFormat::f32) return {TensorFormat::f32, 0};
  const bool is_q80 = tensor.stored_format && tensor.stored_format->format == TensorFormat::q80;
  if (is_q80 && options.group_size == 0) return *tensor.stored_format;
  if (options.group_size == 0) return {TensorFormat::q80, largest_q80_group(config)};
  return {TensorFormat::q80, checked_group_size(config, options.group_size)};
}

/// Gathers how far the new weights are from the old ones.
class ErrorMeter {
 public:
  void add(std::span<const float> before, const CheckpointTensor& tensor, const StoredFormat& format,
           std::span<const std::byte> bytes) {
    TensorEntry entry;
    entry.format = format.format;
    entry.group_size = format.group_size;
    entry.rows = tensor.rows;
    entry.cols = tensor.cols;
    const std::vector<float> after = tensor_values(entry, bytes);
    for (std::size_t i = 0; i < before.size(); ++i) {
      const float error = std::fabs(after[i] - before[i]);
      largest_ = std::max(largest_, error);
      squares_ += static_cast<double>(error) * static_cast<double>(error);
    }
  }
  void count(std::uint64_t weights) { weights_ += weights; }

  void finish(ConvertReport& report) const {
    report.largest_error = largest_;
    report.root_mean_square_error = std::sqrt(squares_ / static_cast<double>(weights_));
  }
  [[nodiscard]] std::uint64_t weights() const { return weights_; }

 private:
  float largest_ = 0.0F;
  double squares_ = 0.0;
  std::uint64_t weights_ = 0;
};

}  // namespace

ConvertReport convert_checkpoint(const Checkpoint& checkpoint, const std::string& out_path,
                                 const ConvertOptions& options, ProgressBar& bar) {
  std::vector<StoredFormat> formats;
  std::uint64_t total = 0;
  for (const CheckpointTensor& tensor : checkpoint.tensors) {
    formats.push_back(format_of(tensor, checkpoint.config, options));
    total += std::uint64_t{tensor.rows} * tensor.cols;
  }
  PspmWriter writer(out_path, checkpoint, formats);
  ErrorMeter errors;
  std::uint64_t tensor_bytes = 0;
  for (std::size_t i = 0; i < formats.size(); ++i) {
    throw_if_interrupted();
    const CheckpointTensor& tensor = checkpoint.tensors[i];
    std::vector<std::byte> bytes;
    if (tensor.stored_format == formats[i]) {
      bytes = checkpoint.read_stored(tensor);
    } else {
      const std::vector<float> values = checkpoint.read(tensor);
      bytes = encode_values(values, tensor.rows, tensor.cols, formats[i]);
      if (formats[i].format != TensorFormat::f32) errors.add(values, tensor, formats[i], bytes);
    }
    writer.write_tensor(bytes);
    tensor_bytes += bytes.size();
    errors.count(std::uint64_t{tensor.rows} * tensor.cols);
    bar.update(errors.weights(), total);
  }
  writer.commit();
  ConvertReport report;
  report.file_bytes = writer.file_bytes();
  constexpr double bits_per_byte = 8.0;
  report.bits_per_weight = static_cast<double>(tensor_bytes) * bits_per_byte / static_cast<double>(total);
  errors.finish(report);
  return report;
}

}  // namespace pspllm::host
