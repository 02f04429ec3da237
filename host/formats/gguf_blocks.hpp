// GGUF's number formats: blocks of a fixed number of weights in a fixed number of bytes. Layouts as ggml
// defines them (ggml-org/ggml, src/ggml-common.h); every result has the bits of the Python package `gguf`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace pspllm::host {

/// One number format of GGUF's tensor directory.
struct GgufBlockFormat {
  std::uint32_t id = 0;
  const char* name = "";
  std::uint32_t block_values = 0;  ///< weights of a block; rows hold whole blocks
  std::uint32_t block_bytes = 0;
  /// One block as floats, [block_values]. nullptr: known by name and size only.
  void (*dequantize)(const std::byte* block, float* out) noexcept = nullptr;
};

/// The format with that id, or nullptr.
[[nodiscard]] const GgufBlockFormat* find_gguf_format(std::uint32_t id) noexcept;

/// Whole blocks as floats: blocks.size() / block_bytes == out.size() / block_values. `format.dequantize` must
/// be there.
void dequantize_gguf(const GgufBlockFormat& format, std::span<const std::byte> blocks,
                     std::span<float> out) noexcept;

/// "F32, F16, BF16, ...": the formats that can be dequantised.
[[nodiscard]] std::string importable_gguf_formats();

}  // namespace pspllm::host
