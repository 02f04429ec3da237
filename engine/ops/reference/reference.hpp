// The scalar reference of every kernel: what all other sets must equal bit for bit. One file a kernel.
// Orders of operations are runq.c's (karpathy/llama2.c); what each means is said in engine/ops/kernels.hpp.
#pragma once

#include "engine/ops/kernels.hpp"

namespace pspllm::reference {

/// Neither zero nor subnormal, infinite or a NaN.
[[nodiscard]] constexpr bool is_normal(float positive) noexcept {
  return positive >= 0x1p-126F && positive - positive == 0.0F;
}

/// Where the reference keeps one token's quantised activations: values, then scales on an aligned boundary.
struct QuantizedToken {
  std::int8_t* values = nullptr;  // [cols]
  float* scales = nullptr;        // [cols / group_size]
};
[[nodiscard]] QuantizedToken token_of(const QuantizedActivations& activations, std::uint32_t token) noexcept;

/// The same for byte codes: values zero-padded for every code width, one scale.
[[nodiscard]] QuantizedToken code_token_of(const QuantizedActivations& activations,
                                           std::uint32_t token) noexcept;

[[nodiscard]] std::size_t quantized_bytes(std::uint32_t cols, std::uint32_t group_size) noexcept;
[[nodiscard]] std::size_t prepare_scratch_bytes(const Matrix& matrix) noexcept;
void prepare(const Matrix& matrix, std::span<std::byte> scratch) noexcept;
void dequantize_row(const Matrix& matrix, std::uint32_t row, float* out) noexcept;
void dequantize_code_row(const Matrix& matrix, std::uint32_t row, float* out) noexcept;
void quantize(const float* x, const QuantizedActivations& out) noexcept;
/// n values that share one scale, by the same rule. values may begin where x does.
void quantize_group(const float* x, std::uint32_t n, std::int8_t* values, float& scale) noexcept;
/// A vector with a scale of its own (a byte-code matrix's input; a query, key or value of one head) by the
/// same rule; where that scale is not a normal number (zeros, nearly zeros, infinities) all is 0. Gives the
/// scale. values may begin where x does.
[[nodiscard]] float quantize_vector(const float* x, std::uint32_t n, std::int8_t* values) noexcept;
void matmul_q80(const Matrix& matrix, const QuantizedActivations& x, float* out, std::uint32_t out_stride,
                Range rows) noexcept;
void matmul_f32(const Matrix& matrix, const float* x, std::uint32_t n_tokens, float* out,
                std::uint32_t out_stride, Range rows) noexcept;
[[nodiscard]] std::size_t code_activation_bytes(std::uint32_t cols) noexcept;
void quantize_codes(const float* x, const QuantizedActivations& out) noexcept;
void matmul_codes(std::span<const ProjectedRows> projections, const QuantizedActivations& x) noexcept;
void rmsnorm(float* out, const float* x, const float* weight, std::uint32_t n, float epsilon) noexcept;
void store_key_value(const LayerCache& cache, std::uint32_t position, const float* key, const float* value,
                     std::uint32_t n_kv_heads, std::uint32_t head_dim) noexcept;
void attention(const AttentionJob& job, Range heads) noexcept;
void store_key_value_int8(const Int8LayerCache& cache, std::uint32_t slot, float* key, float* value,
                          std::uint32_t n_kv_heads, std::uint32_t head_dim) noexcept;
void attention_int8(const Int8AttentionJob& job, Range heads) noexcept;
void swiglu(float* gate, const float* up, std::uint32_t n) noexcept;
void softmax(float* x, std::uint32_t n) noexcept;
[[nodiscard]] std::uint32_t argmax(const float* x, std::uint32_t n) noexcept;

}  // namespace pspllm::reference
