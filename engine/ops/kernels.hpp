// The kernel table: every operation of a transformer pass, one function pointer each. A set of kernels (the
// scalar reference, the host's vector twins, the PSP's VFPU twins) fills the table; all sets give the same
// bits (docs/numerics.md), which the tests of each set check against the reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/model/tensor.hpp"
#include "engine/ops/int8_cache.hpp"

namespace pspllm {

/// Rows [begin, end) of a matrix, or heads of an attention pass, or slots of a cache.
struct Range {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// Activations of several tokens as int8 values with fp32 scales: one scale a group for q80 matrices, one a
/// token for byte codes. The bytes are laid out as the kernel set likes; only its own functions read them.
struct QuantizedActivations {
  std::byte* data = nullptr;  // [n_tokens, quantized_bytes(cols, group_size) or code_activation_bytes(cols)]
  std::uint32_t n_tokens = 0;
  std::uint32_t cols = 0;
  std::uint32_t group_size = 0;  ///< byte codes: cols
};

/// The key/value cache of one layer, as the kernel set lays it out (see Kernels::key_tile).
struct LayerCache {
  float* keys = nullptr;       // [n_kv_heads, capacity / key_tile, head_dim, key_tile]
  float* values = nullptr;     // [n_kv_heads, capacity, head_dim]
  std::uint32_t capacity = 0;  ///< positions; a multiple of key_tile
};

/// One attention pass of one layer: tokens at positions first_position … first_position + n_tokens - 1, whose
/// keys and values are already in the cache; each attends to every position up to its own.
struct AttentionJob {
  const float* query = nullptr;  // [n_tokens, n_heads * head_dim], rotated
  LayerCache cache;
  float* scores = nullptr;  // [n_heads, capacity], scratch
  float* out = nullptr;     // [n_tokens, n_heads * head_dim]
  std::uint32_t n_tokens = 0;
  std::uint32_t first_position = 0;
  std::uint32_t n_heads = 0;
  std::uint32_t n_kv_heads = 0;
  std::uint32_t head_dim = 0;
};

/// The int8 cache of one layer, heads one after the other; rows as the kernel set's Int8CacheLayout has them.
struct Int8LayerCache {
  std::byte* keys = nullptr;      // [n_kv_heads, capacity * int8_row_bytes(head_dim)]
  std::byte* values = nullptr;    // [n_kv_heads, capacity * int8_row_bytes(head_dim)]
  float* key_scales = nullptr;    // [n_kv_heads, capacity]
  float* value_scales = nullptr;  // [n_kv_heads, capacity]
  std::uint32_t capacity = 0;     ///< slots; a multiple of key_tile
};

/// One pass of integer attention of one layer: tokens in slots first_slot … first_slot + n_tokens - 1, whose
/// keys and values are already in the cache. Each sees the slots up to its own, and those of `older`.
struct Int8AttentionJob {
  float* query = nullptr;  // [n_tokens, n_heads * head_dim], rotated; kernels overwrite it
  Int8LayerCache cache;
  float* scores = nullptr;  // [n_heads, capacity], scratch
  float* out = nullptr;     // [n_tokens, n_heads * head_dim]
  std::uint32_t n_tokens = 0;
  std::uint32_t first_slot = 0;
  Range older;                       ///< slots behind the tokens' own that all of them see; may be empty
  std::uint32_t largest_weight = 0;  ///< largest_attention_weight() of the context
  std::uint32_t n_heads = 0;
  std::uint32_t n_kv_heads = 0;
  std::uint32_t head_dim = 0;
};

/// Rows of a matrix applied to the current input, and where the results go.
struct ProjectedRows {
  const Matrix* matrix = nullptr;
  float* out = nullptr;  // [n_tokens, matrix->rows]
  Range rows;
};

struct Kernels {
  /// Format, tile and instruction set, for reports: "q80 reference", "q80 16x4 avx512vnni" …
  const char* name = "";
  /// Positions interleaved in the key cache, so that as many scores are computed at once.
  std::uint32_t key_tile = 1;
  /// Rows of a matrix that belong together: work is split at multiples of it.
  std::uint32_t row_tile = 1;

  /// Bytes one token's quantised activations take; a multiple of 64.
  std::size_t (*quantized_bytes)(std::uint32_t cols, std::uint32_t group_size) noexcept = nullptr;
  /// Bytes of scratch that prepare() needs for a matrix.
  std::size_t (*prepare_scratch_bytes)(const Matrix& matrix) noexcept = nullptr;
  /// Rearranges a freshly read matrix in place, once, into the order that the set's matmul streams.
  void (*prepare)(const Matrix& matrix, std::span<std::byte> scratch) noexcept = nullptr;
  /// One row as floats: value * scale for q80 and codes. out: [cols].
  void (*dequantize_row)(const Matrix& matrix, std::uint32_t row, float* out) noexcept = nullptr;

  /// x: [n_tokens, cols]. Per group: scale = max|x| / 127; value = x / scale rounded half away from zero; an
  /// all-zero group gives zeros.
  void (*quantize)(const float* x, const QuantizedActivations& out) noexcept = nullptr;
  /// out[token * out_stride + row] for rows in `rows`: over groups in order, sum += (float(int dot) *
  /// w_scale) * x_scale.
  void (*matmul_q80)(const Matrix& matrix, const QuantizedActivations& x, float* out,
                     std::uint32_t out_stride, Range rows) noexcept = nullptr;
  /// The same for fp32 weights: sum += w[row, col] * x[col] over columns in order. x: [n_tokens, cols].
  void (*matmul_f32)(const Matrix& matrix, const float* x, std::uint32_t n_tokens, float* out,
                     std::uint32_t out_stride, Range rows) noexcept = nullptr;

  /// Bytes one token's activations take for byte codes; a multiple of 64. A set that runs on one thread may
  /// count scratch for its tables in.
  std::size_t (*code_activation_bytes)(std::uint32_t cols) noexcept = nullptr;
  /// As quantize() with one group a token; what a matrix of any code width reads past cols is 0.
  void (*quantize_codes)(const float* x, const QuantizedActivations& out) noexcept = nullptr;
  /// All matrices that share the input x, in one call so that equal codebooks can share tables; their code
  /// widths may differ. out[token, row] = (float(sum of word * value) * x_scale) * row_scale, the sum exact.
  void (*matmul_codes)(std::span<const ProjectedRows> projections,
                       const QuantizedActivations& x) noexcept = nullptr;

  /// out[i] = weight[i] * (x[i] / sqrt(mean(x^2) + epsilon)), in llama2.c's order of operations. In place
  /// allowed.
  void (*rmsnorm)(float* out, const float* x, const float* weight, std::uint32_t n,
                  float epsilon) noexcept = nullptr;
  /// Writes one position's key and value into the cache. key, value: [n_kv_heads * head_dim].
  void (*store_key_value)(const LayerCache& cache, std::uint32_t position, const float* key,
                          const float* value, std::uint32_t n_kv_heads,
                          std::uint32_t head_dim) noexcept = nullptr;
  /// Softmax attention for heads in `heads`.
  void (*attention)(const AttentionJob& job, Range heads) noexcept = nullptr;
  /// The same two for the int8 cache (docs/numerics.md, contract 4). key and value are overwritten.
  void (*store_key_value_int8)(const Int8LayerCache& cache, std::uint32_t slot, float* key, float* value,
                               std::uint32_t n_kv_heads, std::uint32_t head_dim) noexcept = nullptr;
  void (*attention_int8)(const Int8AttentionJob& job, Range heads) noexcept = nullptr;
  /// gate[i] = silu(gate[i]) * up[i].
  void (*swiglu)(float* gate, const float* up, std::uint32_t n) noexcept = nullptr;
  /// In place: exp(x[i] - max) / sum, the sum in order of i.
  void (*softmax)(float* x, std::uint32_t n) noexcept = nullptr;
  /// Index of the first largest value, n >= 1.
  std::uint32_t (*argmax)(const float* x, std::uint32_t n) noexcept = nullptr;
};

/// The scalar reference set: readable, portable, runq.c's order of operations (engine/ops/reference/).
[[nodiscard]] const Kernels& reference_kernels() noexcept;

}  // namespace pspllm
