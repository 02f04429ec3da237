// llama2.c's checkpoints, versions 0 to 2. Layouts from karpathy/llama2.c's export.py:
//   v0  seven int32 (dim, hidden_dim, n_layers, n_heads, n_kv_heads, ±vocab_size, seq_len; negative =
//   untied), then
//       fp32: embedding, attention norms, wq*, wk*, wv*, wo*, ffn norms, w1*, w2*, w3*, final norm, two
//       unused RoPE tables [seq_len, head_dim / 2], classifier where untied
//   v1  256-byte header ("ak42", 1, seven int32, u8 tied), then fp32: attention norms, ffn norms, final norm,
//       embedding, wq*, wk*, wv*, wo*, w1*, w2*, w3*, classifier where untied
//   v2  256-byte header ("ak42", 2, seven int32, u8 tied, int32 group_size), fp32 norms as v1, then q80:
//   embedding,
//       wq* … w3*, classifier where untied; each tensor its int8 values, then its fp32 scales
// (* = one tensor a layer)
#include "engine/model/llama2c_file.hpp"

#include <algorithm>
#include <cstring>

#include "engine/core/checked.hpp"

namespace pspllm {
namespace {

constexpr std::uint32_t magic = 0x616b3432;  // "ak42"
constexpr std::size_t header_bytes_v1 = 256;
constexpr std::size_t header_bytes_v0 = 28;
constexpr std::size_t shape_offset_v1 = 8;
constexpr std::size_t tied_offset = 36;
constexpr std::size_t group_size_offset = 37;

using Header = std::array<std::byte, header_bytes_v1>;

std::uint32_t u32_at(const Header& header, std::size_t offset) noexcept {
  std::uint32_t value = 0;
  std::memcpy(&value, header.data() + offset, sizeof value);
  return value;
}

ModelConfig shape_at(const Header& header, std::size_t offset) noexcept {
  ModelConfig config;
  std::uint32_t* const fields[] = {&config.dim,        &config.hidden_dim, &config.n_layers, &config.n_heads,
                                   &config.n_kv_heads, &config.vocab_size, &config.seq_len};
  for (std::uint32_t* field : fields) {
    *field = u32_at(header, offset);
    offset += sizeof(std::uint32_t);
  }
  return config;
}

/// Lays tensors one behind the other, in 64-bit checked arithmetic.
class DirectoryBuilder {
 public:
  DirectoryBuilder(ModelFile& file, std::uint64_t first_offset) noexcept
      : file_(file), offset_(first_offset) {}

  void add(TensorRole role, std::uint32_t layer, std::uint32_t rows, std::uint32_t cols,
           TensorFormat format) noexcept {
    TensorEntry& entry = file_.entries[file_.tensor_count++];
    entry = {};
    entry.role = role;
    entry.format = format;
    entry.layer = layer;
    entry.rows = rows;
    entry.cols = cols;
    const CheckedSize count = CheckedSize(rows) * cols;
    CheckedSize values = count;
    CheckedSize scales = 0;
    if (format == TensorFormat::q80) {
      entry.group_size = file_.group_size;
      scales = CheckedSize(rows) * (cols / file_.group_size) * sizeof(float);
    } else {
      values = count * sizeof(float);
    }
    entry.file_offset = offset_.value();
    entry.value_bytes = values.value();
    entry.scale_bytes = scales.value();
    offset_ = offset_ + values + scales;
  }

  void add_per_layer(TensorRole role, std::uint32_t rows, std::uint32_t cols, TensorFormat format) noexcept {
    for (std::uint32_t layer = 0; layer < file_.config.n_layers; ++layer)
      add(role, layer, rows, cols, format);
  }

  void skip(CheckedSize bytes) noexcept { offset_ = offset_ + bytes; }
  [[nodiscard]] CheckedSize end() const noexcept { return offset_; }

 private:
  ModelFile& file_;
  CheckedSize offset_;
};

void add_attention(DirectoryBuilder& directory, const ModelConfig& config, TensorFormat format) noexcept {
  directory.add_per_layer(TensorRole::query, config.dim, config.dim, format);
  directory.add_per_layer(TensorRole::key, config.kv_dim(), config.dim, format);
  directory.add_per_layer(TensorRole::value, config.kv_dim(), config.dim, format);
  directory.add_per_layer(TensorRole::attention_output, config.dim, config.dim, format);
}

void add_feed_forward(DirectoryBuilder& directory, const ModelConfig& config, TensorFormat format) noexcept {
  directory.add_per_layer(TensorRole::gate, config.hidden_dim, config.dim, format);
  directory.add_per_layer(TensorRole::down, config.dim, config.hidden_dim, format);
  directory.add_per_layer(TensorRole::up, config.hidden_dim, config.dim, format);
}

CheckedSize lay_out_v0(ModelFile& file) noexcept {
  const ModelConfig& config = file.config;
  DirectoryBuilder directory(file, header_bytes_v0);
  directory.add(TensorRole::token_embedding, 0, config.vocab_size, config.dim, TensorFormat::f32);
  directory.add(TensorRole::attention_norm, 0, config.n_layers, config.dim, TensorFormat::f32);
  add_attention(directory, config, TensorFormat::f32);
  directory.add(TensorRole::ffn_norm, 0, config.n_layers, config.dim, TensorFormat::f32);
  add_feed_forward(directory, config, TensorFormat::f32);
  directory.add(TensorRole::final_norm, 0, 1, config.dim, TensorFormat::f32);
  // Two tables of head_dim / 2 floats a position that no reader uses any more.
  directory.skip(CheckedSize(config.seq_len) * config.head_dim() * sizeof(float));
  if (!config.tied_classifier) {
    directory.add(TensorRole::classifier, 0, config.vocab_size, config.dim, TensorFormat::f32);
  }
  return directory.end();
}

CheckedSize lay_out_v1_v2(ModelFile& file, TensorFormat format) noexcept {
  const ModelConfig& config = file.config;
  DirectoryBuilder directory(file, header_bytes_v1);
  directory.add(TensorRole::attention_norm, 0, config.n_layers, config.dim, TensorFormat::f32);
  directory.add(TensorRole::ffn_norm, 0, config.n_layers, config.dim, TensorFormat::f32);
  directory.add(TensorRole::final_norm, 0, 1, config.dim, TensorFormat::f32);
  directory.add(TensorRole::token_embedding, 0, config.vocab_size, config.dim, format);
  add_attention(directory, config, format);
  add_feed_forward(directory, config, format);
  if (!config.tied_classifier) {
    directory.add(TensorRole::classifier, 0, config.vocab_size, config.dim, format);
  }
  return directory.end();
}

Status check_group_size(const ModelFile& file) noexcept {
  const std::uint32_t group_size = file.group_size;
  if (group_size < 1 || group_size > max_group_size) {
    return bad_input("model header: group size is ",
                     static_cast<std::int64_t>(static_cast<std::int32_t>(group_size)), ", expected 1 to ",
                     max_group_size, "; the file is damaged or not a model");
  }
  const struct {
    const char* name;
    std::uint32_t value;
  } row_lengths[] = {{"dim", file.config.dim}, {"hidden_dim", file.config.hidden_dim}};
  for (const auto& row : row_lengths) {
    if (row.value % group_size != 0) {
      return bad_input("model header: ", row.name, " ", row.value, " is not a multiple of the group size ",
                       group_size,
                       ", so rows have no whole groups (llama2.c's exporter writes such files by mistake); "
                       "quantise the fp32 model again with a group size that divides both");
    }
  }
  return {};
}

Status check_size(CheckedSize expected, const ModelFile& file) noexcept {
  if (expected.overflowed()) {
    return bad_input(
        "model header: the shape needs more than 2^64 bytes; the file is damaged or not a model");
  }
  if (file.file_bytes == expected.value()) return {};
  return bad_input(
      file.file_bytes < expected.value() ? "model file is cut short: " : "model file is too long: ",
      name_of(file.kind), " of dim ", file.config.dim, ", ", file.config.n_layers, " layers, vocabulary ",
      file.config.vocab_size, " takes ", expected.value(), " bytes, the file has ", file.file_bytes,
      file.file_bytes < expected.value() ? "; copy or download it again"
                                         : "; it is damaged or another program's file");
}

Status read_v0(const Header& header, ModelFile& file) noexcept {
  file.kind = FileKind::llama2c_v0;
  file.config = shape_at(header, 0);
  const auto signed_vocab = static_cast<std::int32_t>(file.config.vocab_size);
  file.config.tied_classifier = signed_vocab > 0;
  if (signed_vocab < 0) file.config.vocab_size = 0U - file.config.vocab_size;
  if (Status status = validate(file.config); !status) return status;
  return check_size(lay_out_v0(file), file);
}

Status read_v1_v2(const Header& header, std::uint32_t version, ModelFile& file) noexcept {
  file.kind = version == 1 ? FileKind::llama2c_v1 : FileKind::llama2c_v2;
  file.config = shape_at(header, shape_offset_v1);
  const auto tied = static_cast<std::uint8_t>(header[tied_offset]);
  if (tied > 1) {
    return bad_input("model header: the shared-classifier flag is ", std::uint32_t{tied},
                     ", expected 0 or 1");
  }
  file.config.tied_classifier = tied == 1;
  if (Status status = validate(file.config); !status) return status;
  if (version == 1) return check_size(lay_out_v1_v2(file, TensorFormat::f32), file);
  file.group_size = u32_at(header, group_size_offset);
  if (Status status = check_group_size(file); !status) return status;
  return check_size(lay_out_v1_v2(file, TensorFormat::q80), file);
}

}  // namespace

Status read_llama2c_file(const ByteSource& source, ModelFile& file) noexcept {
  Header header{};
  const auto available = static_cast<std::size_t>(std::min<std::uint64_t>(source.size, header.size()));
  if (Status status = source.read(source.context, 0, std::span(header).first(available)); !status)
    return status;
  const bool has_magic = available >= sizeof magic && u32_at(header, 0) == magic;
  const std::size_t header_bytes = has_magic ? header_bytes_v1 : header_bytes_v0;
  if (available < header_bytes) {
    return bad_input("the model file has ", source.size, " bytes, less than its ", header_bytes,
                     "-byte header; copy or download it again");
  }
  if (!has_magic) return read_v0(header, file);
  const std::uint32_t version = u32_at(header, sizeof magic);
  if (version != 1 && version != 2) {
    return bad_input("model header: llama2.c file of version ", version, ", expected 0, 1 or 2");
  }
  return read_v1_v2(header, version, file);
}

}  // namespace pspllm
