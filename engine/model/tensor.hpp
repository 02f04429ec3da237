// What a weight tensor is: its role in the model, its number format, where it lies in the file and in memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pspllm {

/// How numbers are stored. The values stand in .pspm files.
enum class TensorFormat : std::uint8_t {
  f32 = 0,   ///< 32-bit floats, row-major
  q80 = 1,   ///< int8 values with one fp32 scale a group of `group_size` along a row (llama2.c version 2)
  codes = 2  ///< one byte for `group_size` weights of a row: an index into a codebook (code_layout.hpp)
};

/// What a tensor does. llama2.c's names in brackets. The values, from 0 on, stand in .pspm files.
enum class TensorRole : std::uint8_t {
  token_embedding,   ///< [vocab_size, dim]
  attention_norm,    ///< [n_layers, dim], or [1, dim] a layer (rms_att_weight)
  query,             ///< [dim, dim] (wq)
  key,               ///< [kv_dim, dim] (wk)
  value,             ///< [kv_dim, dim] (wv)
  attention_output,  ///< [dim, dim] (wo)
  ffn_norm,          ///< as attention_norm (rms_ffn_weight)
  gate,              ///< [hidden_dim, dim] (w1)
  down,              ///< [dim, hidden_dim] (w2)
  up,                ///< [hidden_dim, dim] (w3)
  final_norm,        ///< [1, dim]
  classifier         ///< [vocab_size, dim]; absent where tied
};

[[nodiscard]] const char* name_of(TensorRole role) noexcept;
[[nodiscard]] const char* name_of(TensorFormat format) noexcept;

/// One tensor of a file: shape, place in the file, place in the engine's memory block.
struct TensorEntry {
  TensorRole role = TensorRole::token_embedding;
  TensorFormat format = TensorFormat::f32;
  std::uint32_t layer = 0;  ///< 0 for tensors that hold all layers or belong to none
  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
  std::uint32_t group_size = 0;   ///< q80: weights that share a scale, divides cols; codes: code width
  std::uint64_t file_offset = 0;  ///< of the values
  std::uint64_t value_bytes =
      0;  ///< in the file, a .pspm file's padding included; of a whole byte-code matrix
  std::uint64_t scale_bytes = 0;   ///< in the file, right behind the values; q80 only
  std::uint32_t checksum = 0;      ///< XXH32 of file_bytes(); .pspm only
  std::uint64_t block_offset = 0;  ///< from the start of the memory block; set by plan_memory()

  [[nodiscard]] constexpr std::uint64_t file_bytes() const noexcept { return value_bytes + scale_bytes; }
};

/// A weight matrix [rows, cols] in memory. `data` holds the values and, for q80, the scales; until a kernel
/// set rearranges it (Kernels::prepare), rows are contiguous and the scales [rows, cols / group_size] begin
/// at scales_offset(). Byte codes lie as CodeLayout says.
struct Matrix {
  TensorFormat format = TensorFormat::f32;
  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
  std::uint32_t group_size = 0;  ///< q80: weights that share a scale; codes: code width
  std::byte* data = nullptr;

  [[nodiscard]] constexpr std::uint32_t groups_per_row() const noexcept { return cols / group_size; }
};

/// Distance from a q80 matrix's first value to its first scale: the values rounded up to the block's
/// alignment.
[[nodiscard]] std::uint64_t scales_offset(std::uint32_t rows, std::uint32_t cols) noexcept;

/// Bytes that the tensor takes in the memory block.
[[nodiscard]] std::uint64_t block_bytes(const TensorEntry& tensor) noexcept;

}  // namespace pspllm
