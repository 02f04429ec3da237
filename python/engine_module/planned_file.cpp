#include "python/engine_module/planned_file.hpp"

#include <fmt/format.h>

#include "engine/model/pspm_directory.hpp"
#include "engine/model/tensor_order.hpp"
#include "host/core/failure.hpp"
#include "host/quantize/q80.hpp"

namespace pspllm::python {
namespace {

bool is_vocabulary(TensorRole role) noexcept {
  return role == TensorRole::token_embedding || role == TensorRole::classifier;
}

std::uint32_t group_size_of(TensorFormat format, TensorRole role, const ModelConfig& config,
                            const PlannedNumbers& numbers) noexcept {
  if (format == TensorFormat::f32) return 0;
  if (format == TensorFormat::q80) return host::largest_q80_group(config);
  return is_vocabulary(role) ? numbers.embedding_width : numbers.code_width;
}

PspmSection section_of(PspmSectionKind kind, std::uint64_t bytes) noexcept {
  PspmSection section;
  section.kind = bytes == 0 ? 0 : static_cast<std::uint32_t>(kind);
  section.bytes = bytes;
  return section;
}

void set_section(ModelFile& file, PspmSectionKind kind, std::uint64_t bytes) noexcept {
  file.sections[static_cast<std::uint32_t>(kind) - 1] = section_of(kind, bytes);
}

}  // namespace

TensorFormat format_named(const std::string& name) {
  for (const TensorFormat format : {TensorFormat::f32, TensorFormat::q80, TensorFormat::codes}) {
    if (name == name_of(format)) return format;
  }
  throw host::Failure(fmt::format("{} is no number format; choose f32, q80 or codes", name));
}

ModelFile planned_file(const host::Checkpoint& checkpoint, const PlannedNumbers& numbers) {
  ModelFile file;
  file.kind = FileKind::pspm;
  file.config = checkpoint.config;
  host::require(validate(file.config));
  file.tokenizer_kind = checkpoint.tokenizer_kind;
  set_section(file, PspmSectionKind::tokenizer, pspm_tokenizer_header_bytes + checkpoint.tokenizer.size());
  set_section(file, PspmSectionKind::chat, checkpoint.chat.size());
  file.tensor_count = ordered_tensor_count(file.config);
  for (std::uint32_t i = 0; i < file.tensor_count; ++i) {
    const OrderedTensor ordered = ordered_tensor(file.config, i);
    TensorEntry& entry = file.entries[i];
    entry.role = ordered.role;
    entry.layer = ordered.layer;
    entry.rows = ordered.rows;
    entry.cols = ordered.cols;
    entry.format = ordered.rows == 1 ? TensorFormat::f32 : numbers.format;
    entry.group_size = group_size_of(entry.format, entry.role, file.config, numbers);
    entry.value_bytes = pspm_tensor_bytes(entry.format, entry.rows, entry.cols, entry.group_size);
    file.file_bytes += entry.value_bytes;
  }
  return file;
}

double bits_per_weight(const ModelFile& file) noexcept {
  constexpr double bits_per_byte = 8.0;
  std::uint64_t bytes = 0;
  for (const TensorEntry& tensor : file.tensors()) bytes += tensor.file_bytes();
  return bits_per_byte * static_cast<double>(bytes) / static_cast<double>(file.config.parameter_count());
}

}  // namespace pspllm::python
