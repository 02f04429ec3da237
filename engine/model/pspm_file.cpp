#include "engine/model/pspm_file.hpp"

#include <algorithm>
#include <cstring>

#include "engine/core/checked.hpp"
#include "engine/core/checksum.hpp"
#include "engine/core/limits.hpp"
#include "engine/model/pspm_directory.hpp"
#include "engine/model/tensor_order.hpp"

namespace pspllm {
namespace {

constexpr const char* damaged = "; the file is damaged, copy or convert it again";

/// Bytes read at a time: whole directory entries, little of a console's stack.
constexpr std::size_t chunk_bytes = 16 * sizeof(PspmTensor);

struct SectionRule {
  PspmSectionKind kind;
  const char* name;
  bool required;
  std::uint64_t smallest;
  std::uint64_t largest;
};

constexpr SectionRule rules[pspm_section_kinds] = {
    {PspmSectionKind::config, "config", true, sizeof(PspmConfig), sizeof(PspmConfig)},
    {PspmSectionKind::about, "about", false, 1, max_about_bytes},
    {PspmSectionKind::tokenizer, "tokenizer", true, pspm_tokenizer_header_bytes + 1, max_tokenizer_bytes},
    {PspmSectionKind::chat, "chat", false, 1, max_chat_bytes},
    {PspmSectionKind::rope, "rope", true, sizeof(float), max_dim / 2 * sizeof(float)},
    {PspmSectionKind::tensors, "tensors", true, sizeof(PspmTensor), max_tensors * sizeof(PspmTensor)},
    {PspmSectionKind::weights, "weights", true, block_alignment, UINT64_MAX},
};

const SectionRule& rule_of(std::uint32_t kind) noexcept {
  return rules[kind - 1];
}

bool all_zero(std::span<const std::uint32_t> reserved) noexcept {
  return std::all_of(reserved.begin(), reserved.end(), [](std::uint32_t value) { return value == 0; });
}

Status check_reserved(const char* where, std::span<const std::uint32_t> reserved) noexcept {
  if (all_zero(reserved)) return {};
  return bad_input("pspm ", where,
                   ": a reserved field is not 0; the file is damaged or newer than this program");
}

Status read_struct(const ByteSource& source, std::uint64_t offset, std::span<std::byte> into) noexcept {
  return source.read(source.context, offset, into);
}

template <typename Struct>
std::span<std::byte> bytes_of(Struct& value) noexcept {
  return std::as_writable_bytes(std::span(&value, 1));
}

/// Hands a section's bytes to body(span) -> Status in chunks and compares the checksum at the end.
template <typename Body>
Status for_each_chunk(const ByteSource& source, const PspmSection& section, Body body) noexcept {
  alignas(8) std::byte buffer[chunk_bytes];
  Checksum32 checksum;
  for (std::uint64_t done = 0; done < section.bytes;) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(chunk_bytes, section.bytes - done));
    const std::span<std::byte> chunk(buffer, count);
    if (Status status = source.read(source.context, section.offset + done, chunk); !status) return status;
    checksum.update(chunk);
    if (Status status = body(std::span<const std::byte>(chunk)); !status) return status;
    done += count;
  }
  if (checksum.value() == section.checksum) return {};
  return bad_input("pspm section ", rule_of(section.kind).name, ": its checksum does not match its bytes",
                   damaged);
}

Status check_header(const PspmHeader& header, const ByteSource& source) noexcept {
  if (header.version != pspm_version) {
    return bad_input("pspm header: version is ", header.version, ", this program reads version ",
                     pspm_version, "; convert the model again with the pspllm that belongs to it");
  }
  if (header.file_bytes != source.size) {
    return bad_input(
        source.size < header.file_bytes ? "the .pspm file is cut short" : "the .pspm file is too long",
        ": its header says ", header.file_bytes, " bytes, it has ", source.size, "; copy it again");
  }
  if (header.section_count < 1 || header.section_count > pspm_section_kinds) {
    return bad_input("pspm header: number of sections is ", header.section_count, ", expected 1 to ",
                     pspm_section_kinds, damaged);
  }
  return check_reserved("header", header.reserved);
}

/// One entry of the section table; `end` is where the section before it ends.
Status check_section(const PspmSection& section, std::uint32_t index, std::uint32_t kind_before,
                     std::uint64_t end, std::uint64_t file_bytes) noexcept {
  if (section.kind <= kind_before || section.kind > pspm_section_kinds) {
    return bad_input("pspm section ", index, ": kind is ", section.kind, ", expected ", kind_before + 1,
                     " to ", pspm_section_kinds, " (each once, in order)", damaged);
  }
  const SectionRule& rule = rule_of(section.kind);
  if (Status status = check_reserved(rule.name, section.reserved); !status) return status;
  const std::uint64_t expected = align_up(end, block_alignment);
  if (section.offset != expected) {
    return bad_input("pspm section ", rule.name, ": offset is ", section.offset, ", expected ", expected,
                     " (behind the section before it)", damaged);
  }
  if (section.bytes < rule.smallest || section.bytes > rule.largest) {
    return bad_input("pspm section ", rule.name, ": size is ", section.bytes, ", expected ", rule.smallest,
                     " to ", rule.largest, " bytes", damaged);
  }
  if (section.offset > file_bytes || section.bytes > file_bytes - section.offset) {
    return bad_input("pspm section ", rule.name, ": its ", section.bytes, " bytes at ", section.offset,
                     " run past the file's end at ", file_bytes, damaged);
  }
  return {};
}

Status check_required(const ModelFile& file) noexcept {
  for (const SectionRule& rule : rules) {
    if (rule.required && file.section(rule.kind).kind == 0) {
      return bad_input("pspm section ", rule.name,
                       " is missing; the file is damaged, convert the model again");
    }
  }
  return {};
}

Status read_sections(const ByteSource& source, PspmHeader header, ModelFile& file) noexcept {
  Checksum32 checksum;
  const std::uint32_t stored_checksum = header.checksum;
  header.checksum = 0;
  checksum.update(bytes_of(header));
  std::uint64_t offset = sizeof header;
  std::uint64_t end = sizeof header + std::uint64_t{header.section_count} * sizeof(PspmSection);
  std::uint32_t kind = 0;
  if (end > file.file_bytes) return bad_input("the .pspm file ends inside its section table", damaged);
  for (std::uint32_t index = 0; index < header.section_count; ++index, offset += sizeof(PspmSection)) {
    PspmSection section;
    if (Status status = read_struct(source, offset, bytes_of(section)); !status) return status;
    checksum.update(bytes_of(section));
    if (Status status = check_section(section, index, kind, end, file.file_bytes); !status) return status;
    kind = section.kind;
    end = section.offset + section.bytes;
    file.sections[kind - 1] = section;
  }
  if (checksum.value() != stored_checksum) {
    return bad_input("pspm header: its checksum does not match header and section table", damaged);
  }
  if (Status status = check_required(file); !status) return status;
  if (end == file.file_bytes) return {};
  return bad_input("pspm section weights ends at ", end, ", the file at ", file.file_bytes, damaged);
}

bool is_finite(float value) noexcept {
  return value - value == 0.0F;
}

Status read_config(const ByteSource& source, ModelFile& file) noexcept {
  PspmConfig config;
  const auto take = [&config](std::span<const std::byte> bytes) -> Status {
    std::memcpy(&config, bytes.data(), sizeof config);
    return {};
  };
  if (Status status = for_each_chunk(source, file.section(PspmSectionKind::config), take); !status)
    return status;
  if (config.architecture != pspm_llama_architecture) {
    return bad_input("pspm config: architecture is ", config.architecture, ", expected ",
                     pspm_llama_architecture,
                     " (Llama-style decoder); the file is damaged or newer than this program");
  }
  if (config.tied_classifier > 1) {
    return bad_input("pspm config: tied_classifier is ", config.tied_classifier, ", expected 0 or 1",
                     damaged);
  }
  const auto is_positive = [](float value) { return is_finite(value) && value > 0.0F; };
  if (!is_positive(config.rope_base) || !is_positive(config.norm_epsilon)) {
    return bad_input("pspm config: ", is_positive(config.rope_base) ? "norm_epsilon" : "rope_base",
                     " is not a positive finite number", damaged);
  }
  if (Status status = check_reserved("config", config.reserved); !status) return status;
  file.config = {config.dim,        config.hidden_dim,  config.n_layers, config.n_heads,
                 config.n_kv_heads, config.vocab_size,  config.seq_len,  config.tied_classifier == 1,
                 config.rope_base,  config.norm_epsilon};
  return validate(file.config);
}

Status read_tokenizer_kind(const ByteSource& source, ModelFile& file) noexcept {
  std::uint32_t header[pspm_tokenizer_header_bytes / sizeof(std::uint32_t)] = {};
  const PspmSection& section = file.section(PspmSectionKind::tokenizer);
  if (Status status = read_struct(source, section.offset, std::as_writable_bytes(std::span(header)));
      !status) {
    return status;
  }
  constexpr auto last_kind = static_cast<std::uint32_t>(PspmTokenizerKind::byte_level);
  if (header[0] < 1 || header[0] > last_kind) {
    return bad_input("pspm tokenizer: kind is ", header[0], ", expected 1 to ", last_kind,
                     "; the file is damaged or newer than this program");
  }
  file.tokenizer_kind = static_cast<PspmTokenizerKind>(header[0]);
  return check_reserved("tokenizer", std::span(header).subspan(1));
}

Status check_rope(const ByteSource& source, const ModelFile& file) noexcept {
  const PspmSection& section = file.section(PspmSectionKind::rope);
  const std::uint64_t expected = std::uint64_t{file.config.head_dim()} / 2 * sizeof(float);
  if (section.bytes != expected) {
    return bad_input("pspm section rope: size is ", section.bytes, ", expected ", expected,
                     " (4 bytes a pair of a head's numbers)", damaged);
  }
  return for_each_chunk(source, section, [](std::span<const std::byte> bytes) -> Status {
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(float)) {
      float frequency = 0.0F;
      std::memcpy(&frequency, bytes.data() + at, sizeof frequency);
      if (!is_finite(frequency) || frequency < 0.0F) {
        return bad_input("pspm section rope: a frequency is not a finite number of at least 0", damaged);
      }
    }
    return {};
  });
}

Status read_directory(const ByteSource& source, ModelFile& file) noexcept {
  const PspmSection& section = file.section(PspmSectionKind::tensors);
  const PspmSection& weights = file.section(PspmSectionKind::weights);
  const std::uint64_t expected = std::uint64_t{ordered_tensor_count(file.config)} * sizeof(PspmTensor);
  if (section.bytes != expected) {
    return bad_input("pspm section tensors: size is ", section.bytes, ", expected ", expected, " for ",
                     ordered_tensor_count(file.config), " tensors of 64 bytes each", damaged);
  }
  const auto append_all = [&](std::span<const std::byte> bytes) -> Status {
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(PspmTensor)) {
      PspmTensor entry;
      std::memcpy(&entry, bytes.data() + at, sizeof entry);
      if (Status status = append_pspm_tensor(entry, weights.offset, file); !status) return status;
    }
    return {};
  };
  if (Status status = for_each_chunk(source, section, append_all); !status) return status;
  const TensorEntry& last = file.entries[file.tensor_count - 1];
  if (last.file_offset + last.file_bytes() != file.file_bytes) {
    return bad_input("pspm section weights: its tensors take ",
                     last.file_offset + last.file_bytes() - weights.offset, " bytes, it has ", weights.bytes,
                     damaged);
  }
  return check_shared_formats(file);
}

}  // namespace

const char* name_of(PspmSectionKind kind) noexcept {
  return rule_of(static_cast<std::uint32_t>(kind)).name;
}

bool is_pspm(std::span<const std::byte> first_bytes) noexcept {
  std::uint32_t magic = 0;
  if (first_bytes.size() < sizeof magic) return false;
  std::memcpy(&magic, first_bytes.data(), sizeof magic);
  return magic == pspm_magic;
}

Status check_pspm_section(const ByteSource& source, const PspmSection& section) noexcept {
  return for_each_chunk(source, section, [](std::span<const std::byte>) -> Status { return {}; });
}

Status read_pspm_file(const ByteSource& source, ModelFile& file) noexcept {
  file.kind = FileKind::pspm;
  PspmHeader header;
  if (source.size < sizeof header) {
    return bad_input("the .pspm file has ", source.size, " bytes, less than its ", sizeof header,
                     "-byte header; copy it again");
  }
  if (Status status = read_struct(source, 0, bytes_of(header)); !status) return status;
  if (Status status = check_header(header, source); !status) return status;
  if (Status status = read_sections(source, header, file); !status) return status;
  if (Status status = read_config(source, file); !status) return status;
  if (Status status = read_tokenizer_kind(source, file); !status) return status;
  if (Status status = check_rope(source, file); !status) return status;
  const PspmSection& about = file.section(PspmSectionKind::about);
  if (about.kind != 0) {
    if (Status status = check_pspm_section(source, about); !status) return status;
  }
  return read_directory(source, file);
}

}  // namespace pspllm
