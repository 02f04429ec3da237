// The tensors of a .pspm file: how many bytes each format takes, which entries are right, what their bytes
// must hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/core/result.hpp"
#include "engine/model/model_file.hpp"
#include "engine/model/pspm_format.hpp"

namespace pspllm {

/// Bytes of a tensor in a .pspm file and in memory, a multiple of 64. group_size as in PspmTensor; shape and
/// group size must be valid.
[[nodiscard]] std::uint64_t pspm_tensor_bytes(TensorFormat format, std::uint32_t rows, std::uint32_t cols,
                                              std::uint32_t group_size) noexcept;

/// Checks the directory's next entry against the shape and the entries before it, and appends it to
/// file.entries. weights: where that section begins. Errors: bad_input with the entry's number, field, value.
[[nodiscard]] Status append_pspm_tensor(const PspmTensor& entry, std::uint64_t weights,
                                        ModelFile& file) noexcept;

/// Whether matrices that share an input (query, key and value; gate and up) have one format. All entries
/// must be there.
[[nodiscard]] Status check_shared_formats(const ModelFile& file) noexcept;

/// Checks a tensor's bytes as the file has them: checksum, every number finite, code words within
/// max_codeword(). Errors: bad_input.
[[nodiscard]] Status check_pspm_tensor(const TensorEntry& tensor, std::span<const std::byte> bytes) noexcept;

}  // namespace pspllm
