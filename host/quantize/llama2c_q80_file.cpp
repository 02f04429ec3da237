#include "host/quantize/llama2c_q80_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "host/core/failure.hpp"
#include "host/io/atomic_file.hpp"
#include "host/io/interrupt.hpp"
#include "host/quantize/q80.hpp"

namespace pspllm::host {
namespace {

// Version 2's header: see engine/model/llama2c_file.cpp.
constexpr std::uint32_t magic = 0x616b3432;
constexpr std::uint32_t version = 2;
constexpr std::size_t header_bytes = 256;

constexpr std::array norms{TensorRole::attention_norm, TensorRole::ffn_norm, TensorRole::final_norm};
constexpr std::array matrices{
    TensorRole::token_embedding,  TensorRole::query, TensorRole::key,  TensorRole::value,
    TensorRole::attention_output, TensorRole::gate,  TensorRole::down, TensorRole::up,
    TensorRole::classifier};

std::array<std::byte, header_bytes> make_header(const ModelConfig& config, std::uint32_t group_size) {
  std::array<std::byte, header_bytes> header{};
  std::size_t offset = 0;
  const auto put = [&](auto value) {
    std::memcpy(header.data() + offset, &value, sizeof value);
    offset += sizeof value;
  };
  for (const std::uint32_t field : {magic, version, config.dim, config.hidden_dim, config.n_layers,
                                    config.n_heads, config.n_kv_heads, config.vocab_size, config.seq_len}) {
    put(field);
  }
  put(static_cast<std::uint8_t>(config.tied_classifier ? 1 : 0));
  put(group_size);
  return header;
}

std::string name_of_tensor(const TensorEntry& tensor, const ModelConfig& config, std::size_t index) {
  const std::size_t row = index / tensor.cols;
  const std::size_t col = index % tensor.cols;
  const bool holds_all_layers =
      tensor.role == TensorRole::attention_norm || tensor.role == TensorRole::ffn_norm;
  if (holds_all_layers) return fmt::format("{} of layer {}, element {}", name_of(tensor.role), row, col);
  if (tensor.rows == 1) return fmt::format("{}, element {}", name_of(tensor.role), col);
  const bool belongs_to_model =
      tensor.role == TensorRole::token_embedding || tensor.role == TensorRole::classifier;
  const std::string layer =
      belongs_to_model || config.n_layers == 0 ? "" : fmt::format(" of layer {}", tensor.layer);
  return fmt::format("{}{}, row {}, column {}", name_of(tensor.role), layer, row, col);
}

/// Takes a model through the conversion, one tensor in memory at a time.
class Converter {
 public:
  Converter(const OpenedModel& opened, const std::string& out_path, std::uint32_t group_size,
            ProgressBar& bar)
      : opened_(opened), out_(out_path), bar_(bar) {
    report_.group_size = group_size;
    report_.bytes_in = opened.file.file_bytes;
  }

  QuantizeReport convert() {
    const auto header = make_header(opened_.file.config, report_.group_size);
    write(std::span(header));
    for (const TensorRole role : norms) for_each_tensor(role, &Converter::copy_floats);
    for (const TensorRole role : matrices) for_each_tensor(role, &Converter::write_quantized);
    out_.commit();
    if (weights_ > 0)
      report_.root_mean_square_error = std::sqrt(squared_error_ / static_cast<double>(weights_));
    return report_;
  }

 private:
  template <typename Element, std::size_t extent>
  void write(std::span<Element, extent> elements) {
    const std::span<const std::byte> bytes = std::as_bytes(elements);
    out_.write(bytes);
    report_.bytes_out += bytes.size();
  }

  void for_each_tensor(TensorRole role, void (Converter::*body)(const TensorEntry&)) {
    for (const TensorEntry& tensor : opened_.file.tensors()) {
      if (tensor.role != role) continue;
      throw_if_interrupted();
      read(tensor);
      (this->*body)(tensor);
      done_ += tensor.file_bytes();
      bar_.update(done_, opened_.file.file_bytes);
    }
  }

  void read(const TensorEntry& tensor) {
    floats_.resize(static_cast<std::size_t>(tensor.value_bytes / sizeof(float)));
    const ByteSource source = opened_.model->source();
    require(source.read(source.context, tensor.file_offset, std::as_writable_bytes(std::span(floats_))),
            opened_.model->path());
    for (std::size_t i = 0; i < floats_.size(); ++i) {
      if (std::isfinite(floats_[i])) continue;
      throw Failure(
          fmt::format("{}: {} is {}, expected a finite number; the model is damaged or its training "
                      "went wrong",
                      opened_.model->path(), name_of_tensor(tensor, opened_.file.config, i),
                      std::isnan(floats_[i]) ? "not a number" : "infinite"));
    }
  }

  void copy_floats(const TensorEntry& /*tensor*/) { write(std::span(floats_)); }

  void write_quantized(const TensorEntry& /*tensor*/) {
    values_.resize(floats_.size());
    scales_.resize(floats_.size() / report_.group_size);
    quantize_q80(floats_, report_.group_size, values_, scales_);
    measure_error();
    write(std::span(values_));
    write(std::span(scales_));
  }

  void measure_error() {
    for (std::size_t i = 0; i < floats_.size(); ++i) {
      const float back = static_cast<float>(values_[i]) * scales_[i / report_.group_size];
      const float error = std::fabs(back - floats_[i]);
      report_.largest_error = std::max(report_.largest_error, error);
      squared_error_ += static_cast<double>(error) * static_cast<double>(error);
    }
    weights_ += floats_.size();
  }

  const OpenedModel& opened_;
  AtomicFile out_;
  ProgressBar& bar_;
  QuantizeReport report_;
  std::vector<float> floats_;
  std::vector<std::int8_t> values_;
  std::vector<float> scales_;
  std::uint64_t done_ = 0;
  std::uint64_t weights_ = 0;
  double squared_error_ = 0.0;
};

std::uint32_t checked_group_size(const OpenedModel& opened, std::uint32_t group_size) {
  const ModelConfig& config = opened.file.config;
  if (group_size == 0) return largest_q80_group(config);
  for (const auto& [name, length] :
       {std::pair{"dim", config.dim}, std::pair{"hidden_dim", config.hidden_dim}}) {
    if (length % group_size == 0) continue;
    throw Failure(
        fmt::format("{}: {} {} is not a multiple of the group size {}, so rows have no whole groups; the "
                    "largest that divides every row is {}",
                    opened.model->path(), name, length, group_size, largest_q80_group(config)),
        ExitCode::failed);
  }
  return group_size;
}

}  // namespace

QuantizeReport write_llama2c_q80(const OpenedModel& opened, const std::string& out_path,
                                 std::uint32_t group_size, ProgressBar& bar) {
  if (opened.file.kind != FileKind::llama2c_v0 && opened.file.kind != FileKind::llama2c_v1) {
    throw Failure(fmt::format(
        "{} is already quantised or converted ({}); expected an fp32 llama2.c file, version 0 or 1",
        opened.model->path(), name_of(opened.file.kind)));
  }
  std::error_code error;
  if (std::filesystem::equivalent(opened.model->path(), out_path, error)) {
    throw Failure(fmt::format("{} is both input and output; give the output another name", out_path));
  }
  return Converter(opened, out_path, checked_group_size(opened, group_size), bar).convert();
}

}  // namespace pspllm::host
