// Optimised C++ without vector instructions, written for processors that issue one instruction a cycle in
// order, as the Allegrex does: several independent sums at a time hide latencies, and int8 products are
// floats, since the integer multiplier is the slower unit there. Same bits as the scalar reference. What the
// PSP's vector unit gains is measured against this set. (Compilers make vector code of the reference's
// integers on a PC; there this set is the slower one.)
#pragma once

#include <cstddef>

#include "engine/ops/kernels.hpp"

namespace pspllm {

[[nodiscard]] const Kernels& portable_kernels() noexcept;

}  // namespace pspllm

namespace pspllm::portable {

/// Groups up to this size have int8 dot products below 2^24, exact in floats; the reference takes the others.
inline constexpr std::uint32_t largest_exact_group = 1024;

/// How this set keeps one token's activations: each group's whole numbers as floats, then its scale.
[[nodiscard]] constexpr std::uint32_t record_floats(std::uint32_t group_size) noexcept {
  return group_size + 1;
}
/// The first record of a token.
[[nodiscard]] float* token_records(const QuantizedActivations& activations, std::uint32_t token) noexcept;

[[nodiscard]] std::size_t quantized_bytes(std::uint32_t cols, std::uint32_t group_size) noexcept;
void quantize(const float* x, const QuantizedActivations& out) noexcept;
void matmul_q80(const Matrix& matrix, const QuantizedActivations& x, float* out, std::uint32_t out_stride,
                Range rows) noexcept;
void rmsnorm(float* out, const float* x, const float* weight, std::uint32_t n, float epsilon) noexcept;
void attention(const AttentionJob& job, Range heads) noexcept;
void swiglu(float* gate, const float* up, std::uint32_t n) noexcept;
void softmax(float* x, std::uint32_t n) noexcept;
[[nodiscard]] std::uint32_t argmax(const float* x, std::uint32_t n) noexcept;

}  // namespace pspllm::portable
