// What a model file holds, found from its header alone: the directory that the memory plan and the loader
// follow.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "engine/core/byte_source.hpp"
#include "engine/core/limits.hpp"
#include "engine/core/result.hpp"
#include "engine/model/config.hpp"
#include "engine/model/pspm_format.hpp"
#include "engine/model/tensor.hpp"

namespace pspllm {

/// Which layout a file has. Goals of supporting llama2.c's three: its users' files run unchanged. Non-goal:
/// writing versions 0 and 1.
enum class FileKind : std::uint8_t {
  llama2c_v0,  ///< headerless fp32 ("legacy"): seven int32, then floats
  llama2c_v1,  ///< "ak42", version 1, fp32
  llama2c_v2,  ///< "ak42", version 2, int8 groups with fp32 scales ("q80")
  pspm         ///< our own single file (pspm_format.hpp)
};

[[nodiscard]] const char* name_of(FileKind kind) noexcept;

/// Nine per layer (tensor_order.hpp), embedding, final norm, classifier.
inline constexpr std::uint32_t max_tensors = max_layers * 9 + 3;

/// A checked directory. After read_model_file() every tensor lies inside the file and none overlap.
struct ModelFile {
  FileKind kind = FileKind::llama2c_v0;
  ModelConfig config;
  std::uint32_t group_size = 0;  ///< llama2.c's q80 files; 0 otherwise
  std::uint64_t file_bytes = 0;
  std::uint32_t tensor_count = 0;
  std::array<TensorEntry, max_tensors> entries{};
  PspmTokenizerKind tokenizer_kind = PspmTokenizerKind::llama2c;
  std::array<PspmSection, pspm_section_kinds> sections{};  ///< .pspm only, by kind - 1; kind 0: absent

  [[nodiscard]] const PspmSection& section(PspmSectionKind kind_of_section) const noexcept {
    return sections[static_cast<std::uint32_t>(kind_of_section) - 1];
  }
  /// Bytes of the vocabulary that the file itself holds; 0 where it is a file of its own.
  [[nodiscard]] std::uint64_t own_tokenizer_bytes() const noexcept {
    const PspmSection& tokenizer = section(PspmSectionKind::tokenizer);
    return tokenizer.kind == 0 ? 0 : tokenizer.bytes - pspm_tokenizer_header_bytes;
  }
  [[nodiscard]] std::span<const TensorEntry> tensors() const noexcept {
    return {entries.data(), tensor_count};
  }
  [[nodiscard]] std::span<TensorEntry> tensors() noexcept { return {entries.data(), tensor_count}; }
};

/// Reads and checks the header, computes every tensor's place, and compares the exact size with the source's.
/// Other programs' formats are recognised and named. Errors: bad_input, read_failed.
[[nodiscard]] Status read_model_file(const ByteSource& source, ModelFile& file) noexcept;

}  // namespace pspllm
