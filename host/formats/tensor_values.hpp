// Tensors of the files that the engine reads, as numbers, and numbers as the bytes of such tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/model/model_file.hpp"
#include "host/formats/checkpoint.hpp"
#include "host/io/file_source.hpp"

namespace pspllm::host {

/// The tensor as load_engine() places it in memory, before a kernel set rearranges it: block_bytes() of it.
/// A .pspm file's tensor is checked too (check_pspm_tensor). Throws Failure.
[[nodiscard]] std::vector<std::byte> stored_tensor(const FileSource& file, const TensorEntry& tensor,
                                                   FileKind kind);

/// What these bytes stand for: [rows, cols].
[[nodiscard]] std::vector<float> tensor_values(const TensorEntry& tensor, std::span<const std::byte> bytes);

/// Numbers [rows, cols] as a .pspm file holds them in f32 or q80 (rounded as q80.hpp says). values: finite.
[[nodiscard]] std::vector<std::byte> encode_values(std::span<const float> values, std::uint32_t rows,
                                                   std::uint32_t cols, const StoredFormat& format);

}  // namespace pspllm::host
