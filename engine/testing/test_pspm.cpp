#include "engine/testing/test_pspm.hpp"

#include <cmath>
#include <cstring>
#include <random>

#include "engine/core/checksum.hpp"
#include "engine/model/tensor_order.hpp"
#include "engine/testing/random_codes.hpp"

namespace pspllm::testing {
namespace {

void pad(std::string& bytes) {
  bytes.resize((bytes.size() + 63) / 64 * 64, '\0');
}

std::uint32_t checksum_of(const std::string& bytes) {
  return checksum32(std::as_bytes(std::span(bytes)));
}

template <typename Number>
std::string bytes_of(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

/// `count` floats between middle - spread and middle + spread.
std::string floats(std::size_t count, float middle, float spread, std::uint32_t seed) {
  std::minstd_rand random(seed);
  std::vector<float> values(count);
  for (float& value : values)
    value = middle + spread * (static_cast<float>(random() % 2001) / 1000.0F - 1.0F);
  return bytes_of(values);
}

std::string q80_matrix(std::uint32_t rows, std::uint32_t cols, std::uint32_t group_size, std::uint32_t seed) {
  std::minstd_rand random(seed);
  std::string bytes(std::size_t{rows} * cols, '\0');
  for (char& value : bytes) value = static_cast<char>(static_cast<int>(random() % 255) - 127);
  pad(bytes);
  const float scale = 2.0F / (127.0F * std::sqrt(static_cast<float>(cols)));
  return bytes + floats(std::size_t{rows} * (cols / group_size), scale, scale / 2.0F, seed);
}

std::string tensor_bytes(const PspmTensor& tensor, std::uint32_t seed) {
  switch (static_cast<TensorFormat>(tensor.format)) {
    case TensorFormat::f32:
      return tensor.rows == 1 ? floats(tensor.cols, 1.0F, 0.1F, seed)
                              : floats(std::size_t{tensor.rows} * tensor.cols, 0.0F,
                                       2.0F / std::sqrt(static_cast<float>(tensor.cols)), seed);
    case TensorFormat::q80:
      return q80_matrix(tensor.rows, tensor.cols, tensor.group_size, seed);
    case TensorFormat::codes:
      return make_code_matrix(tensor.rows, tensor.cols, tensor.group_size, seed);
  }
  return {};
}

std::uint32_t group_size_of(const OrderedTensor& tensor, const TestFormat& format) {
  if (tensor.rows == 1 || format.format == TensorFormat::f32) return 0;
  const std::uint32_t own = tensor.role == TensorRole::value             ? format.value_group_size
                            : tensor.role == TensorRole::token_embedding ? format.embedding_group_size
                                                                         : 0;
  return own == 0 ? format.group_size : own;
}

void append_tensors(const TestShape& shape, const ModelConfig& config, const TestFormat& format,
                    PspmParts& parts) {
  for (std::uint32_t i = 0; i < ordered_tensor_count(config); ++i) {
    const OrderedTensor ordered = ordered_tensor(config, i);
    const bool is_norm = ordered.rows == 1;
    PspmTensor tensor;
    tensor.role = static_cast<std::uint32_t>(ordered.role);
    tensor.layer = ordered.layer;
    tensor.format = static_cast<std::uint32_t>(is_norm ? TensorFormat::f32 : format.format);
    tensor.rows = ordered.rows;
    tensor.cols = ordered.cols;
    tensor.group_size = group_size_of(ordered, format);
    std::string bytes = tensor_bytes(tensor, shape.seed * 1000 + i);
    pad(bytes);
    tensor.offset = parts.weights.size();
    tensor.bytes = bytes.size();
    tensor.checksum = checksum_of(bytes);
    parts.weights += bytes;
    parts.tensors.push_back(tensor);
  }
}

}  // namespace

PspmParts make_pspm_parts(const TestShape& shape, const TestFormat& format) {
  PspmParts parts;
  parts.config.dim = shape.dim;
  parts.config.hidden_dim = shape.hidden_dim;
  parts.config.n_layers = shape.n_layers;
  parts.config.n_heads = shape.n_heads;
  parts.config.n_kv_heads = shape.n_kv_heads;
  parts.config.vocab_size = shape.vocab_size;
  parts.config.seq_len = shape.seq_len;
  parts.config.tied_classifier = shape.tied_classifier ? 1 : 0;
  parts.tokenizer = std::string(pspm_tokenizer_header_bytes, '\0') + make_tokenizer(shape.vocab_size);
  parts.tokenizer[0] = static_cast<char>(PspmTokenizerKind::llama2c);
  const std::uint32_t head_dim = shape.dim / shape.n_heads;
  for (std::uint32_t i = 0; i < head_dim / 2; ++i) {
    parts.rope.push_back(
        std::pow(parts.config.rope_base, -2.0F * static_cast<float>(i) / static_cast<float>(head_dim)));
  }
  const ModelConfig config{shape.dim,        shape.hidden_dim, shape.n_layers, shape.n_heads,
                           shape.n_kv_heads, shape.vocab_size, shape.seq_len,  shape.tied_classifier};
  append_tensors(shape, config, format, parts);
  return parts;
}

std::string assemble(const PspmParts& parts) {
  const std::string config(reinterpret_cast<const char*>(&parts.config), sizeof parts.config);
  const struct {
    PspmSectionKind kind;
    std::string bytes;
  } contents[] = {{PspmSectionKind::config, config},
                  {PspmSectionKind::about, parts.about},
                  {PspmSectionKind::tokenizer, parts.tokenizer},
                  {PspmSectionKind::chat, parts.chat},
                  {PspmSectionKind::rope, bytes_of(parts.rope)},
                  {PspmSectionKind::tensors, bytes_of(parts.tensors)},
                  {PspmSectionKind::weights, parts.weights}};
  std::vector<PspmSection> table;
  std::string body;
  std::size_t present = 0;
  for (const auto& content : contents) {
    if (!content.bytes.empty()) ++present;
  }
  const std::size_t table_end = sizeof(PspmHeader) + present * sizeof(PspmSection);
  const std::size_t body_start = (table_end + 63) / 64 * 64;
  for (const auto& content : contents) {
    if (content.bytes.empty()) continue;
    pad(body);
    PspmSection section;
    section.kind = static_cast<std::uint32_t>(content.kind);
    section.checksum = content.kind == PspmSectionKind::weights ? 0 : checksum_of(content.bytes);
    section.offset = body_start + body.size();
    section.bytes = content.bytes.size();
    table.push_back(section);
    body += content.bytes;
  }
  PspmHeader header;
  header.file_bytes = body_start + body.size();
  header.section_count = static_cast<std::uint32_t>(table.size());
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes += bytes_of(table);
  header.checksum = checksum_of(bytes);
  std::memcpy(bytes.data(), &header, sizeof header);
  bytes.resize(body_start, '\0');
  return bytes + body;
}

std::string make_pspm_model(const TestShape& shape, const TestFormat& format) {
  return assemble(make_pspm_parts(shape, format));
}

}  // namespace pspllm::testing
