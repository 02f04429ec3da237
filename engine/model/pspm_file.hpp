// Reads a .pspm file's header, sections and tensor directory (pspm_format.hpp), checking every field before
// anything is placed by it.
#pragma once

#include <cstddef>
#include <span>

#include "engine/core/byte_source.hpp"
#include "engine/core/result.hpp"
#include "engine/model/model_file.hpp"

namespace pspllm {

/// Whether a file's first bytes are a .pspm file's.
[[nodiscard]] bool is_pspm(std::span<const std::byte> first_bytes) noexcept;

/// Fills `file`, whose file_bytes is set already. Reads everything in front of the weights except the
/// payloads of tokenizer and chat. Errors: bad_input, read_failed.
[[nodiscard]] Status read_pspm_file(const ByteSource& source, ModelFile& file) noexcept;

/// Reads a section and compares its checksum; what load_engine() does before it uses tokenizer and chat.
/// Errors: bad_input, read_failed.
[[nodiscard]] Status check_pspm_section(const ByteSource& source, const PspmSection& section) noexcept;

}  // namespace pspllm
