// One block of each GGUF format as floats (gguf_blocks.hpp has the sizes). d: the block's scale.
#pragma once

#include <cstddef>

namespace pspllm::host {

void dequantize_f32(const std::byte* block, float* out) noexcept;   // [1]
void dequantize_f16(const std::byte* block, float* out) noexcept;   // [1]
void dequantize_bf16(const std::byte* block, float* out) noexcept;  // [1]

void dequantize_q4_0(const std::byte* block, float* out) noexcept;  // [32] d * (q - 8)
void dequantize_q4_1(const std::byte* block, float* out) noexcept;  // [32] d * q + minimum
void dequantize_q5_0(const std::byte* block, float* out) noexcept;  // [32] d * (q - 16)
void dequantize_q5_1(const std::byte* block, float* out) noexcept;  // [32] d * q + minimum
void dequantize_q8_0(const std::byte* block, float* out) noexcept;  // [32] d * q

void dequantize_q2_k(const std::byte* block,
                     float* out) noexcept;  // [256] 16 groups of 16, scale and minimum
void dequantize_q3_k(const std::byte* block, float* out) noexcept;  // [256] 16 groups of 16, scale
void dequantize_q4_k(const std::byte* block, float* out) noexcept;  // [256] 8 groups of 32, scale and minimum
void dequantize_q5_k(const std::byte* block, float* out) noexcept;  // [256] 8 groups of 32, scale and minimum
void dequantize_q6_k(const std::byte* block, float* out) noexcept;  // [256] 16 groups of 16, scale

void dequantize_tq1_0(const std::byte* block, float* out) noexcept;  // [256] d * (-1, 0, 1), five a byte
void dequantize_tq2_0(const std::byte* block, float* out) noexcept;  // [256] d * (q - 1), four a byte

}  // namespace pspllm::host
