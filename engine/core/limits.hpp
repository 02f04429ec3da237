// The largest things the engine accepts. Each is far above what fits a PSP, and small enough for exact
// arithmetic.
#pragma once

#include <cstdint>

namespace pspllm {

/// Layers of a model: sizes the fixed tables of tensors and weights.
inline constexpr std::uint32_t max_layers = 64;
/// dim and hidden_dim: bounds the stack of kernels and keeps products of two dimensions below 2^32.
inline constexpr std::uint32_t max_dim = 32768;
inline constexpr std::uint32_t max_vocab_size = 262144;
inline constexpr std::uint32_t max_context = 131072;
inline constexpr std::uint32_t max_group_size = 32768;
/// Bytes of one vocabulary piece.
inline constexpr std::uint32_t max_piece_bytes = 512;
/// Parts of a .pspm file: a vocabulary, a chat template, text about the model.
inline constexpr std::uint32_t max_tokenizer_bytes = 64U << 20;
inline constexpr std::uint32_t max_chat_bytes = 64U << 10;
inline constexpr std::uint32_t max_about_bytes = 64U << 10;
/// Every region and tensor starts on such a boundary: one cache line of the Allegrex, one AVX-512 register.
inline constexpr std::uint32_t block_alignment = 64;

}  // namespace pspllm
