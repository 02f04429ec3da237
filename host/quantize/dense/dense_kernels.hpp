// The two inner loops of the quantiser, compiled for several instruction sets and chosen when the program
// starts. All give the same bits: every sum is one chain of fused multiply-adds in order, lanes hold sums of
// their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pspllm::host {

/// Words of a codebook that nearest_words() compares.
inline constexpr std::uint32_t nearest_word_count = 256;

struct DenseKernels {
  const char* name = "";
  std::uint32_t tile_rows = 0;
  std::uint32_t tile_cols = 0;

  /// One tile of a matrix product: c[row][col] += sum over k of a[k][row] * b[k][col], in order of k.
  /// a: [depth, tile_rows]; b: [depth, tile_cols]; c: tile_rows rows, c_stride floats apart.
  void (*multiply_tile)(const float* a, const float* b, std::size_t depth, float* c,
                        std::size_t c_stride) noexcept = nullptr;

  /// For each of `count` targets the first word with the smallest offsets[word] - sum over k of target[k] *
  /// words[k][word]. words: [dims, 256]; offsets: [256]; targets: [count, dims]; out: [count].
  void (*nearest_words)(const float* words, const float* offsets, std::size_t dims, const float* targets,
                        std::size_t count, std::uint8_t* out) noexcept = nullptr;
};

/// Those that this processor can run, slowest first; never empty.
[[nodiscard]] std::span<const DenseKernels* const> supported_dense_kernels() noexcept;
/// The last of them.
[[nodiscard]] const DenseKernels& best_dense_kernels() noexcept;

// One file each.
[[nodiscard]] const DenseKernels& portable_dense_kernels() noexcept;
[[nodiscard]] const DenseKernels& avx2_dense_kernels() noexcept;
[[nodiscard]] const DenseKernels& avx512_dense_kernels() noexcept;

}  // namespace pspllm::host
