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

/// Where this set keeps one token's quantised activations: the int8 values as floats, then scales.
struct FloatActivations {
  float* values = nullptr;  // [cols], whole numbers -128 … 127
  float* scales = nullptr;  // [cols / group_size]
};
[[nodiscard]] FloatActivations token_of(const QuantizedActivations& activations,
                                        std::uint32_t token) noexcept;

[[nodiscard]] std::size_t quantized_bytes_f32(std::uint32_t cols, std::uint32_t group_size) noexcept;
void quantize_vfpu(const float* x, const QuantizedActivations& out) noexcept;
void matmul_q80_8x4_vfpu(const Matrix& matrix, const QuantizedActivations& x, float* out,
                         std::uint32_t out_stride, Range rows) noexcept;
void store_key_value_tile4(const LayerCache& cache, std::uint32_t position, const float* key,
                           const float* value, std::uint32_t n_kv_heads, std::uint32_t head_dim) noexcept;
void attention_tile4_vfpu(const AttentionJob& job, Range heads) noexcept;

[[nodiscard]] std::uint32_t argmax_vfpu(const float* x, std::uint32_t n) noexcept;

/// The table: the above, and the scalar reference for the rest.
[[nodiscard]] const Kernels& vfpu_kernels() noexcept;

}  // namespace pspllm::psp
