#include "host/formats/pspm_writer.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "engine/core/checked.hpp"
#include "engine/core/checksum.hpp"
#include "engine/core/limits.hpp"
#include "engine/model/pspm_directory.hpp"
#include "engine/model/tensor_order.hpp"
#include "host/core/failure.hpp"

namespace pspllm::host {
namespace {

template <typename Struct>
std::span<const std::byte> bytes_of(const Struct& value) {
  return std::as_bytes(std::span(&value, 1));
}

PspmConfig config_of(const ModelConfig& config) {
  PspmConfig stored;
  stored.dim = config.dim;
  stored.hidden_dim = config.hidden_dim;
  stored.n_layers = config.n_layers;
  stored.n_heads = config.n_heads;
  stored.n_kv_heads = config.n_kv_heads;
  stored.vocab_size = config.vocab_size;
  stored.seq_len = config.seq_len;
  stored.tied_classifier = config.tied_classifier ? 1 : 0;
  stored.rope_base = config.rope_base;
  stored.norm_epsilon = config.norm_epsilon;
  return stored;
}

std::vector<std::byte> tokenizer_section(const Checkpoint& checkpoint) {
  std::vector<std::byte> bytes(pspm_tokenizer_header_bytes);
  bytes[0] = static_cast<std::byte>(checkpoint.tokenizer_kind);
  bytes.insert(bytes.end(), checkpoint.tokenizer.begin(), checkpoint.tokenizer.end());
  return bytes;
}

std::vector<PspmTensor> plan_directory(const Checkpoint& checkpoint, std::span<const StoredFormat> formats) {
  const std::uint32_t count = ordered_tensor_count(checkpoint.config);
  if (checkpoint.tensors.size() != count || formats.size() != count) {
    throw std::logic_error("a .pspm file needs every tensor of its shape once, with a format");
  }
  std::vector<PspmTensor> directory(count);
  std::uint64_t offset = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const OrderedTensor ordered = ordered_tensor(checkpoint.config, i);
    PspmTensor& tensor = directory[i];
    tensor.role = static_cast<std::uint32_t>(ordered.role);
    tensor.layer = ordered.layer;
    tensor.format = static_cast<std::uint32_t>(formats[i].format);
    tensor.rows = ordered.rows;
    tensor.cols = ordered.cols;
    tensor.group_size = formats[i].group_size;
    tensor.offset = offset;
    tensor.bytes = pspm_tensor_bytes(formats[i].format, ordered.rows, ordered.cols, formats[i].group_size);
    offset += tensor.bytes;
  }
  return directory;
}

void check_part(const char* name, std::size_t bytes, std::size_t largest) {
  if (bytes <= largest) return;
  throw Failure(
      fmt::format("the model's {} takes {} bytes, a .pspm file holds up to {}", name, bytes, largest));
}

}  // namespace

PspmWriter::PspmWriter(const std::string& path, const Checkpoint& checkpoint,
                       std::span<const StoredFormat> formats)
    : file_(path), directory_(plan_directory(checkpoint, formats)) {
  check_part("tokenizer", checkpoint.tokenizer.size(), max_tokenizer_bytes);
  check_part("chat template", checkpoint.chat.size(), max_chat_bytes);
  check_part("description", checkpoint.about.size(), max_about_bytes);
  const std::size_t optional = (checkpoint.about.empty() ? 0U : 1U) + (checkpoint.chat.empty() ? 0U : 1U);
  header_.section_count = pspm_section_kinds - 2 + static_cast<std::uint32_t>(optional);
  // Sizes are known from the start, checksums when everything is written: header, table and directory are
  // written now as they are, and over again by commit().
  const std::vector<PspmSection> empty_table(header_.section_count);
  file_.write(bytes_of(header_));
  file_.write(std::as_bytes(std::span(empty_table)));
  header_.file_bytes = sizeof header_ + empty_table.size() * sizeof(PspmSection);

  const PspmConfig config = config_of(checkpoint.config);
  add_section(PspmSectionKind::config, bytes_of(config));
  if (!checkpoint.about.empty()) {
    add_section(PspmSectionKind::about, std::as_bytes(std::span(checkpoint.about)));
  }
  add_section(PspmSectionKind::tokenizer, tokenizer_section(checkpoint));
  if (!checkpoint.chat.empty()) add_section(PspmSectionKind::chat, checkpoint.chat);
  add_section(PspmSectionKind::rope, std::as_bytes(std::span(checkpoint.rope_frequencies)));
  add_section(PspmSectionKind::tensors, std::as_bytes(std::span(directory_)));
  add_section(PspmSectionKind::weights, {});
  PspmSection& weights = sections_.back();
  weights.checksum = 0;
  weights.bytes = directory_.back().offset + directory_.back().bytes;
  header_.file_bytes += weights.bytes;
}

void PspmWriter::add_section(PspmSectionKind kind, std::span<const std::byte> bytes) {
  const std::uint64_t offset = align_up(header_.file_bytes, block_alignment);
  const std::vector<std::byte> padding(static_cast<std::size_t>(offset - header_.file_bytes));
  file_.write(padding);
  file_.write(bytes);
  PspmSection& section = sections_.emplace_back();
  section.kind = static_cast<std::uint32_t>(kind);
  section.checksum = checksum32(bytes);
  section.offset = offset;
  section.bytes = bytes.size();
  header_.file_bytes = offset + bytes.size();
}

void PspmWriter::write_tensor(std::span<const std::byte> bytes) {
  PspmTensor& tensor = directory_.at(written_tensors_++);
  if (bytes.size() != tensor.bytes) throw std::logic_error("a tensor of another size than its format has");
  tensor.checksum = checksum32(bytes);
  file_.write(bytes);
}

void PspmWriter::commit() {
  if (written_tensors_ != directory_.size()) throw std::logic_error("not all tensors were written");
  for (PspmSection& section : sections_) {
    if (section.kind != static_cast<std::uint32_t>(PspmSectionKind::tensors)) continue;
    const auto directory = std::as_bytes(std::span(directory_));
    section.checksum = checksum32(directory);
    file_.overwrite(section.offset, directory);
  }
  const auto table = std::as_bytes(std::span(sections_));
  Checksum32 checksum;
  checksum.update(bytes_of(header_));
  checksum.update(table);
  header_.checksum = checksum.value();
  file_.overwrite(0, bytes_of(header_));
  file_.overwrite(sizeof header_, table);
  file_.commit();
}

}  // namespace pspllm::host
