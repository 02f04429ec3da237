#include "host/formats/engine_checkpoint.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

#include "engine/model/pspm_file.hpp"
#include "engine/model/rope.hpp"
#include "engine/model/tensor_order.hpp"
#include "host/core/failure.hpp"
#include "host/formats/tensor_values.hpp"
#include "host/model/loaded_tokenizer.hpp"
#include "host/model/opened_model.hpp"

namespace pspllm::host {
namespace {

std::vector<std::byte> read_range(const FileSource& file, std::uint64_t offset, std::uint64_t bytes) {
  std::vector<std::byte> content(static_cast<std::size_t>(bytes));
  const ByteSource source = file.source();
  require(source.read(source.context, offset, content), file.path());
  return content;
}

/// Where a tensor of the order of use lies: llama2.c keeps the norms of all layers in one.
struct TensorPlace {
  const TensorEntry& entry;
  std::uint32_t first_row = 0;
};

TensorPlace find_tensor(const ModelFile& file, TensorRole role, std::uint32_t layer) {
  for (const TensorEntry& entry : file.tensors()) {
    if (entry.role != role) continue;
    const bool holds_all_layers = role == TensorRole::attention_norm || role == TensorRole::ffn_norm;
    if (entry.layer == layer) return {entry, 0};
    if (holds_all_layers && entry.layer < layer && layer < entry.layer + entry.rows) {
      return {entry, layer - entry.layer};
    }
  }
  throw std::logic_error("read_model_file() passed a file without one of its tensors");
}

class EngineFile {
 public:
  explicit EngineFile(OpenedModel opened) : opened_(std::move(opened)) {}

  [[nodiscard]] const OpenedModel& opened() const { return opened_; }

  [[nodiscard]] CheckpointTensor describe(const OrderedTensor& ordered) const {
    const TensorEntry& entry = find_tensor(opened_.file, ordered.role, ordered.layer).entry;
    CheckpointTensor tensor{
        ordered.role, ordered.layer, ordered.rows, ordered.cols, {}, name_of(entry.format), {}};
    const bool is_norm = ordered.rows == 1;
    const bool has_layer =
        is_norm ? ordered.role != TensorRole::final_norm : ordered.rows != opened_.file.config.vocab_size;
    tensor.name =
        has_layer ? fmt::format("layer {} {}", ordered.layer, name_of(ordered.role)) : name_of(ordered.role);
    if (entry.format != TensorFormat::f32)
      tensor.stored_format = StoredFormat{entry.format, entry.group_size};
    return tensor;
  }

  [[nodiscard]] std::vector<std::byte> read_stored(const CheckpointTensor& tensor) const {
    const TensorPlace place = find_tensor(opened_.file, tensor.role, tensor.layer);
    return stored_tensor(*opened_.model, place.entry, opened_.file.kind);
  }

  [[nodiscard]] std::vector<float> read(const CheckpointTensor& tensor) const {
    const TensorPlace place = find_tensor(opened_.file, tensor.role, tensor.layer);
    const std::vector<float> all = tensor_values(place.entry, read_stored(tensor));
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(place.first_row) * tensor.cols;
    std::vector<float> values(first, first + static_cast<std::ptrdiff_t>(tensor.rows) * tensor.cols);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isfinite(values[i])) continue;
      throw Failure(
          fmt::format("{}: {}, row {}, column {} is {}, expected a finite number; the model is damaged "
                      "or its training went wrong",
                      opened_.model->path(), tensor.name, i / tensor.cols, i % tensor.cols,
                      std::isnan(values[i]) ? "not a number" : "infinite"));
    }
    return values;
  }

 private:
  OpenedModel opened_;
};

void take_sections(const OpenedModel& opened, Checkpoint& checkpoint) {
  const auto content = [&opened](PspmSectionKind kind, std::uint32_t skip = 0) {
    const PspmSection& section = opened.file.section(kind);
    return section.kind == 0 ? std::vector<std::byte>{}
                             : read_range(*opened.model, section.offset + skip, section.bytes - skip);
  };
  for (const PspmSectionKind kind : {PspmSectionKind::tokenizer, PspmSectionKind::chat}) {
    const PspmSection& section = opened.file.section(kind);
    if (section.kind != 0) require(check_pspm_section(opened.model->source(), section), opened.model->path());
  }
  checkpoint.tokenizer_kind = opened.file.tokenizer_kind;
  checkpoint.tokenizer = content(PspmSectionKind::tokenizer, pspm_tokenizer_header_bytes);
  checkpoint.chat = content(PspmSectionKind::chat);
  const std::vector<std::byte> about = content(PspmSectionKind::about);
  checkpoint.about.assign(reinterpret_cast<const char*>(about.data()), about.size());
  const std::vector<std::byte> rope = content(PspmSectionKind::rope);
  std::memcpy(checkpoint.rope_frequencies.data(), rope.data(), rope.size());
}

}  // namespace

Checkpoint open_engine_checkpoint(const std::string& path, const std::string& tokenizer_path) {
  const auto file = std::make_shared<const EngineFile>(open_model(path, tokenizer_path));
  const OpenedModel& opened = file->opened();
  Checkpoint checkpoint;
  checkpoint.config = opened.file.config;
  checkpoint.rope_frequencies.resize(checkpoint.config.head_dim() / 2);
  if (opened.file.kind == FileKind::pspm) {
    take_sections(opened, checkpoint);
  } else {
    // One that does not belong to the model is found here, not when the new file is first loaded.
    static_cast<void>(load_tokenizer(opened));
    checkpoint.tokenizer_kind = PspmTokenizerKind::llama2c;
    checkpoint.tokenizer = read_range(*opened.tokenizer, 0, opened.tokenizer->size());
    fill_rope_frequencies(checkpoint.config, checkpoint.rope_frequencies);
  }
  for (std::uint32_t i = 0; i < ordered_tensor_count(checkpoint.config); ++i) {
    checkpoint.tensors.push_back(file->describe(ordered_tensor(checkpoint.config, i)));
  }
  checkpoint.read = [file](const CheckpointTensor& tensor) { return file->read(tensor); };
  checkpoint.read_stored = [file](const CheckpointTensor& tensor) { return file->read_stored(tensor); };
  return checkpoint;
}

}  // namespace pspllm::host
