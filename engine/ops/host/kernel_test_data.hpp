// Random matrices and vectors for the tests and the benchmark of the host sets, and a comparison of bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <random>
#include <vector>

#include "engine/core/checked.hpp"
#include "engine/core/limits.hpp"
#include "engine/ops/kernels.hpp"

namespace pspllm::host {

/// Bytes on a 64-byte boundary, of exactly that length, so that the address sanitizer sees every overrun.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::size_t count)
      : bytes_(static_cast<std::byte*>(::operator new (count, std::align_val_t{block_alignment}))),
        count_(count) {
    std::memset(bytes_.get(), 0, count);
  }
  AlignedBytes(const AlignedBytes& other) : AlignedBytes(other.count_) {
    std::memcpy(bytes_.get(), other.bytes_.get(), count_);
  }
  AlignedBytes& operator=(const AlignedBytes&) = delete;

  [[nodiscard]] std::byte* data() const noexcept { return bytes_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }

 private:
  struct Deleter {
    void operator()(std::byte* bytes) const noexcept {
      ::operator delete (bytes, std::align_val_t{block_alignment});
    }
  };
  std::unique_ptr<std::byte, Deleter> bytes_;
  std::size_t count_ = 0;
};

using Random = std::minstd_rand;

/// A matrix in bytes of its own.
struct OwnedMatrix {
  AlignedBytes bytes;
  Matrix matrix;

  OwnedMatrix(const Matrix& shape, std::size_t size) : bytes(size), matrix(shape) {
    matrix.data = bytes.data();
  }
  OwnedMatrix(const OwnedMatrix& other) : bytes(other.bytes), matrix(other.matrix) {
    matrix.data = bytes.data();
  }
  OwnedMatrix& operator=(const OwnedMatrix&) = delete;
};

/// Every int8 occurs, -128 too; some scales are zero.
[[nodiscard]] inline OwnedMatrix random_q80_matrix(std::uint32_t rows, std::uint32_t cols,
                                                   std::uint32_t group_size, Random& random) {
  const std::size_t scales_at = scales_offset(rows, cols);
  const std::size_t n_scales = std::size_t{rows} * (cols / group_size);
  OwnedMatrix owned({TensorFormat::q80, rows, cols, group_size, nullptr},
                    scales_at + n_scales * sizeof(float));
  std::uniform_int_distribution<int> value(-128, 127);
  std::uniform_real_distribution<float> scale(1e-4F, 2e-2F);
  auto* const values = reinterpret_cast<std::int8_t*>(owned.matrix.data);
  for (std::size_t i = 0; i < std::size_t{rows} * cols; ++i) {
    values[i] = static_cast<std::int8_t>(random() % 8 == 0 ? -128 : value(random));
  }
  auto* const scales = reinterpret_cast<float*>(owned.matrix.data + scales_at);
  for (std::size_t i = 0; i < n_scales; ++i) scales[i] = random() % 16 == 0 ? 0.0F : scale(random);
  return owned;
}

[[nodiscard]] inline std::vector<float> random_floats(std::size_t count, Random& random,
                                                      float spread = 1.0F) {
  std::normal_distribution<float> normal(0.0F, spread);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

[[nodiscard]] inline OwnedMatrix random_f32_matrix(std::uint32_t rows, std::uint32_t cols, Random& random) {
  OwnedMatrix owned({TensorFormat::f32, rows, cols, 0, nullptr}, std::size_t{rows} * cols * sizeof(float));
  const std::vector<float> values = random_floats(std::size_t{rows} * cols, random);
  std::memcpy(owned.matrix.data, values.data(), owned.bytes.size());
  return owned;
}

/// What activations may hold: ordinary numbers, groups of zeros, huge and subnormal ones, infinities, NaNs.
inline void spoil(std::vector<float>& x, std::uint32_t group_size, Random& random) {
  constexpr float odd[] = {0.0F,
                           -0.0F,
                           1e-45F,
                           -3e-44F,
                           9e-44F,
                           1e38F,
                           -3e38F,
                           std::numeric_limits<float>::infinity(),
                           -std::numeric_limits<float>::infinity(),
                           std::numeric_limits<float>::quiet_NaN()};
  for (std::size_t start = 0; start < x.size(); start += group_size) {
    const auto kind = random() % 6;
    for (std::size_t i = start; i < start + group_size; ++i) {
      if (kind == 0) x[i] = 0.0F;
      if (kind == 1) x[i] *= 1e-44F;
      if (kind == 2 && random() % 4 == 0) x[i] = odd[random() % std::size(odd)];
    }
  }
}

/// A copy rearranged for a set.
[[nodiscard]] inline OwnedMatrix prepared(const Kernels& kernels, const OwnedMatrix& original) {
  OwnedMatrix copy(original);
  const AlignedBytes scratch(kernels.prepare_scratch_bytes(copy.matrix));
  kernels.prepare(copy.matrix, {scratch.data(), scratch.size()});
  return copy;
}

/// Activations as a set quantises them.
struct OwnedActivations {
  AlignedBytes bytes;
  QuantizedActivations quantized;

  OwnedActivations(const Kernels& kernels, const std::vector<float>& x, std::uint32_t n_tokens,
                   std::uint32_t cols, std::uint32_t group_size)
      : bytes(n_tokens * kernels.quantized_bytes(cols, group_size)),
        quantized{bytes.data(), n_tokens, cols, group_size} {
    kernels.quantize(x.data(), quantized);
  }
};

/// The same bits, or NaNs both (which of two NaNs an operation passes on is the compiler's choice).
[[nodiscard]] inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (std::bit_cast<std::uint32_t>(a[i]) != std::bit_cast<std::uint32_t>(b[i])) return false;
  }
  return true;
}

}  // namespace pspllm::host
