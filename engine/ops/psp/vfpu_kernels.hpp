// The PSP's kernels on its vector unit. Same bits as engine/ops/reference for all values whose intermediate
// results are normal numbers or zero: the VFPU takes subnormals as zero (docs/numerics.md).
#pragma once

#include "engine/ops/kernels.hpp"

namespace pspllm::psp {

/// Rows in a stripe of a packed matrix: two tiles of four.
inline constexpr std::uint32_t stripe_rows = 8;
/// Groups up to this size have int8 dot products below 2^24, exact in the VFPU's floats in any order.
inline constexpr std::uint32_t largest_exact_group = 1024;

/// Whether a matrix is packed for the VFPU (engine/ops/packed_rows.hpp) or stays row-major for the scalar
/// path.
[[nodiscard]] constexpr bool is_packed(std::uint32_t group_size) noexcept {
  return group_size % 4 == 0 && group_size <= largest_exact_group;
}

/// How this set keeps quantised activations: the int8 values as floats, each group followed by its scale and
/// padding to 16 bytes. Tokens are taken in batches, and the groups of a batch in blocks that stay in the
/// data cache while a matrix streams through it: [batch][block][token][group of the block][record_floats].
/// The layout depends on the number of tokens, so quantize() and matmul_q80() see all of them (one thread).
struct FloatActivations {
  float* data = nullptr;
  std::uint32_t n_tokens = 0;
  std::uint32_t groups = 0;
  std::uint32_t group_size = 0;

  /// Tokens of a batch.
  static constexpr std::uint32_t most_tokens = 16;
  /// Bytes of a block: less than half of the data cache (16 KB, two ways), since weights and results pass
  /// through it too. Found with a model of the cache.
  static constexpr std::uint32_t block_bytes = 7168;

  [[nodiscard]] static FloatActivations of(const QuantizedActivations& activations) noexcept {
    return {reinterpret_cast<float*>(activations.data), activations.n_tokens,
            activations.cols / activations.group_size, activations.group_size};
  }
  [[nodiscard]] constexpr std::uint32_t record_floats() const noexcept { return (group_size + 4) / 4 * 4; }
  /// Tokens of the batch that begins at token `first`.
  [[nodiscard]] constexpr std::uint32_t batch_tokens(std::uint32_t first) const noexcept {
    return n_tokens - first < most_tokens ? n_tokens - first : most_tokens;
  }
  /// Groups of a block in a batch of `tokens`; the last block may have fewer.
  [[nodiscard]] constexpr std::uint32_t block_groups(std::uint32_t tokens) const noexcept {
    const std::uint32_t fitting =
        block_bytes / (tokens * record_floats() * static_cast<std::uint32_t>(sizeof(float)));
    if (fitting == 0) return 1;
    const std::uint32_t blocks = (groups + fitting - 1) / fitting;
    return (groups + blocks - 1) / blocks;
  }
  /// The record of one group of one token.
  [[nodiscard]] float* group(std::uint32_t token, std::uint32_t index) const noexcept {
    const std::uint32_t first_token = token / most_tokens * most_tokens;
    const std::uint32_t tokens = batch_tokens(first_token);
    const std::uint32_t most_groups = block_groups(tokens);
    const std::uint32_t first_group = index / most_groups * most_groups;
    const std::uint32_t in_block = groups - first_group < most_groups ? groups - first_group : most_groups;
    const std::uint32_t records =
        first_token * groups + first_group * tokens + (token - first_token) * in_block + index - first_group;
    return data + std::size_t{records} * record_floats();
  }
};

[[nodiscard]] std::size_t quantized_bytes_f32(std::uint32_t cols, std::uint32_t group_size) noexcept;
void quantize_vfpu(const float* x, const QuantizedActivations& out) noexcept;
/// One group: scale = max|x| / 127, values = x / scale rounded half away from zero, as floats. x and values:
/// 16-byte aligned, apart.
void quantize_group_vfpu(const float* x, std::uint32_t n, float* scale, float* values) noexcept;
/// As reference::quantize_vector(), values as whole floats.
[[nodiscard]] float quantize_vector_vfpu(const float* x, std::uint32_t n, float* values) noexcept;
void matmul_q80_8x4_vfpu(const Matrix& matrix, const QuantizedActivations& x, float* out,
                         std::uint32_t out_stride, Range rows) noexcept;
[[nodiscard]] std::size_t code_activation_bytes_f32(std::uint32_t cols) noexcept;
void quantize_codes_vfpu(const float* x, const QuantizedActivations& out) noexcept;
void matmul_codes_vfpu(std::span<const ProjectedRows> projections, const QuantizedActivations& x) noexcept;
void store_key_value_tile4(const LayerCache& cache, std::uint32_t position, const float* key,
                           const float* value, std::uint32_t n_kv_heads, std::uint32_t head_dim) noexcept;
void attention_tile4_vfpu(const AttentionJob& job, Range heads) noexcept;
void store_key_value_int8_vfpu(const Int8LayerCache& cache, std::uint32_t slot, float* key, float* value,
                               std::uint32_t n_kv_heads, std::uint32_t head_dim) noexcept;
void attention_int8_vfpu(const Int8AttentionJob& job, Range heads) noexcept;

void swiglu_vfpu(float* gate, const float* up, std::uint32_t n) noexcept;
void softmax_vfpu(float* x, std::uint32_t n) noexcept;
void rmsnorm_vfpu(float* out, const float* x, const float* weight, std::uint32_t n, float epsilon) noexcept;
[[nodiscard]] std::uint32_t argmax_vfpu(const float* x, std::uint32_t n) noexcept;

/// The table: the above, and the scalar reference for the rest.
[[nodiscard]] const Kernels& vfpu_kernels() noexcept;

}  // namespace pspllm::psp
