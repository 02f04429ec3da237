#include "engine/model/pspm_directory.hpp"

#include "engine/core/checked.hpp"
#include "engine/core/checksum.hpp"
#include "engine/core/limits.hpp"
#include "engine/model/code_layout.hpp"
#include "engine/model/tensor_order.hpp"

namespace pspllm {
namespace {

constexpr const char* damaged = "; the file is damaged, copy or convert it again";

bool is_norm(TensorRole role) noexcept {
  return role == TensorRole::attention_norm || role == TensorRole::ffn_norm || role == TensorRole::final_norm;
}

/// Compares one field with the only value that is right.
Status expect(std::uint32_t index, const char* field, std::uint64_t found, std::uint64_t expected) noexcept {
  if (found == expected) return {};
  return bad_input("pspm tensor ", index, ": ", field, " is ", found, ", expected ", expected, damaged);
}

Status check_group_size(std::uint32_t index, const PspmTensor& entry, TensorFormat format) noexcept {
  switch (format) {
    case TensorFormat::f32:
      return expect(index, "group size", entry.group_size, 0);
    case TensorFormat::q80:
      if (entry.group_size >= 1 && entry.group_size <= max_group_size && entry.cols % entry.group_size == 0)
        return {};
      return bad_input("pspm tensor ", index, ": group size is ", entry.group_size, ", expected 1 to ",
                       max_group_size, " and a divisor of its ", entry.cols, " columns", damaged);
    case TensorFormat::codes:
      if (entry.group_size >= 1 && entry.group_size <= max_code_width) return {};
      return bad_input("pspm tensor ", index, ": code width is ", entry.group_size, ", expected 1 to ",
                       max_code_width, damaged);
  }
  return {};
}

Status check_format(std::uint32_t index, const PspmTensor& entry) noexcept {
  if (entry.format > static_cast<std::uint32_t>(TensorFormat::codes)) {
    return bad_input("pspm tensor ", index, ": format is ", entry.format,
                     ", expected 0 (f32), 1 (q80) or 2 "
                     "(codes); the file is damaged or newer than this program");
  }
  const auto format = static_cast<TensorFormat>(entry.format);
  if (is_norm(static_cast<TensorRole>(entry.role)) && format != TensorFormat::f32) {
    return bad_input("pspm tensor ", index, ": format of a norm is ", name_of(format), ", expected f32",
                     damaged);
  }
  return check_group_size(index, entry, format);
}

Status check_shape(std::uint32_t index, const PspmTensor& entry, const OrderedTensor& expected) noexcept {
  const struct {
    const char* name;
    std::uint32_t found;
    std::uint32_t expected;
  } fields[] = {{"role", entry.role, static_cast<std::uint32_t>(expected.role)},
                {"layer", entry.layer, expected.layer},
                {"rows", entry.rows, expected.rows},
                {"columns", entry.cols, expected.cols}};
  for (const auto& field : fields) {
    if (Status status = expect(index, field.name, field.found, field.expected); !status) return status;
  }
  for (const std::uint32_t reserved : entry.reserved) {
    if (Status status = expect(index, "a reserved field", reserved, 0); !status) return status;
  }
  return {};
}

/// Scales of all rows; 0 for formats that keep none behind their values.
std::uint64_t scale_bytes(TensorFormat format, std::uint32_t rows, std::uint32_t cols,
                          std::uint32_t group_size) noexcept {
  if (format != TensorFormat::q80) return 0;
  return align_up(std::uint64_t{rows} * (cols / group_size) * sizeof(float), block_alignment);
}

Status check_finite(const TensorEntry& tensor, std::span<const std::byte> bytes) noexcept {
  const auto* const numbers = reinterpret_cast<const float*>(bytes.data());
  for (std::size_t i = 0; i < bytes.size() / sizeof(float); ++i) {
    if (numbers[i] - numbers[i] == 0.0F) continue;
    return bad_input("pspm tensor ", name_of(tensor.role), " of layer ", tensor.layer, ": number ", i,
                     tensor.format == TensorFormat::f32 ? "" : " of its scales",
                     " is not finite; the model is broken, convert it again");
  }
  return {};
}

Status check_codebook(const TensorEntry& tensor, std::span<const std::byte> bytes) noexcept {
  const std::int32_t bound = max_codeword(tensor.group_size);
  for (std::size_t i = 0; i < std::size_t{codebook_words} * tensor.group_size; ++i) {
    const std::int32_t value = static_cast<std::int8_t>(bytes[i]);
    if (value >= -bound && value <= bound) continue;
    return bad_input("pspm tensor ", name_of(tensor.role), " of layer ", tensor.layer, ": codebook entry ", i,
                     " is ", value, ", expected ", -bound, " to ", bound, " for code width ",
                     tensor.group_size, "; convert the model again");
  }
  return {};
}

}  // namespace

std::uint64_t pspm_tensor_bytes(TensorFormat format, std::uint32_t rows, std::uint32_t cols,
                                std::uint32_t group_size) noexcept {
  switch (format) {
    case TensorFormat::f32:
      return align_up(std::uint64_t{rows} * cols * sizeof(float), block_alignment);
    case TensorFormat::q80:
      return scales_offset(rows, cols) + scale_bytes(format, rows, cols, group_size);
    case TensorFormat::codes:
      return CodeLayout{rows, cols, group_size}.bytes();
  }
  return 0;
}

Status append_pspm_tensor(const PspmTensor& entry, std::uint64_t weights, ModelFile& file) noexcept {
  const std::uint32_t index = file.tensor_count;
  const OrderedTensor expected = ordered_tensor(file.config, index);
  if (Status status = check_shape(index, entry, expected); !status) return status;
  if (Status status = check_format(index, entry); !status) return status;
  std::uint64_t offset = 0;
  if (index > 0) {
    const TensorEntry& before = file.entries[index - 1];
    offset = before.file_offset + before.file_bytes() - weights;
  }
  const auto format = static_cast<TensorFormat>(entry.format);
  const std::uint64_t bytes = pspm_tensor_bytes(format, entry.rows, entry.cols, entry.group_size);
  if (Status status = expect(index, "offset", entry.offset, offset); !status) return status;
  if (Status status = expect(index, "size", entry.bytes, bytes); !status) return status;
  TensorEntry& tensor = file.entries[file.tensor_count++];
  tensor = {};
  tensor.role = expected.role;
  tensor.format = format;
  tensor.layer = entry.layer;
  tensor.rows = entry.rows;
  tensor.cols = entry.cols;
  tensor.group_size = entry.group_size;
  tensor.file_offset = weights + offset;
  tensor.scale_bytes = scale_bytes(format, entry.rows, entry.cols, entry.group_size);
  tensor.value_bytes = bytes - tensor.scale_bytes;
  tensor.checksum = entry.checksum;
  return {};
}

Status check_shared_formats(const ModelFile& file) noexcept {
  for (const TensorEntry& tensor : file.tensors()) {
    const bool follows_query = tensor.role == TensorRole::key || tensor.role == TensorRole::value;
    if (!follows_query && tensor.role != TensorRole::up) continue;
    // Key and value come right behind the query, up behind the gate.
    const TensorEntry& before = *(&tensor - 1);
    const bool same_groups = tensor.format == TensorFormat::codes || tensor.group_size == before.group_size;
    if (tensor.format == before.format && same_groups) continue;
    return bad_input("pspm layer ", tensor.layer, ": ", name_of(tensor.role), " is ", name_of(tensor.format),
                     " with group size ", tensor.group_size, ", ", name_of(before.role), " is ",
                     name_of(before.format), " with ", before.group_size,
                     "; matrices with one input need one format, convert the model again");
  }
  return {};
}

Status check_pspm_tensor(const TensorEntry& tensor, std::span<const std::byte> bytes) noexcept {
  if (checksum32(bytes) != tensor.checksum) {
    return bad_input("pspm tensor ", name_of(tensor.role), " of layer ", tensor.layer,
                     ": its checksum does not match its bytes", damaged);
  }
  if (tensor.format == TensorFormat::f32) return check_finite(tensor, bytes);
  if (tensor.format == TensorFormat::q80) {
    return check_finite(tensor, bytes.subspan(static_cast<std::size_t>(tensor.value_bytes)));
  }
  if (Status status = check_codebook(tensor, bytes); !status) return status;
  const CodeLayout layout{tensor.rows, tensor.cols, tensor.group_size};
  return check_finite(tensor, bytes.subspan(static_cast<std::size_t>(layout.row_scales_offset()),
                                            std::size_t{tensor.rows} * sizeof(float)));
}

}  // namespace pspllm
