// fp32 matrix times vectors on packed stripes (packed_f32.hpp): lanes are rows, columns in order. A row's sum
// is one chain of additions, so several tokens or several stripes run side by side: Isa::f32_tile of each, as
// many as the registers hold without spilling (3 of 16 registers: 1.6 times the speed of 4).
#pragma once

#include "engine/ops/host/packed_f32.hpp"
#include "engine/ops/host/vectors.hpp"
#include "engine/ops/kernels.hpp"

namespace pspllm::host {

/// n_stripes stripes of n_tokens tokens: a tile of independent sums.
template <class Isa, std::uint32_t n_stripes, std::uint32_t n_tokens>
[[gnu::always_inline]] inline void multiply_f32_tile(
    const float* weights, std::size_t col_stride, const float* x, std::uint32_t cols,
    Floats<Isa::lanes> (&sums)[n_stripes][n_tokens]) noexcept {
  using V = Lanes<Isa>;
  const std::size_t stripe_floats = std::size_t{Isa::lanes} * cols;
  for (auto& stripe : sums) {
    for (auto& sum : stripe) sum = Floats<Isa::lanes>{};
  }
  for (std::uint32_t col = 0; col < cols; ++col, weights += col_stride) {
    for (std::uint32_t stripe = 0; stripe < n_stripes; ++stripe) {
      const Floats<Isa::lanes> w = V::load(weights + stripe * stripe_floats);
      for (std::uint32_t token = 0; token < n_tokens; ++token) {
        sums[stripe][token] += w * V::broadcast(x[std::size_t{token} * cols + col]);
      }
    }
  }
}

template <class Isa, std::uint32_t n_stripes, std::uint32_t n_tokens>
void full_f32_tile(const float* weights, const float* x, std::uint32_t cols, float* out,
                   std::size_t out_stride) noexcept {
  Floats<Isa::lanes> sums[n_stripes][n_tokens];
  multiply_f32_tile<Isa, n_stripes, n_tokens>(weights, Isa::lanes, x, cols, sums);
  for (std::uint32_t stripe = 0; stripe < n_stripes; ++stripe) {
    for (std::uint32_t token = 0; token < n_tokens; ++token) {
      Lanes<Isa>::store(out + token * out_stride + std::size_t{stripe} * Isa::lanes, sums[stripe][token]);
    }
  }
}

/// The narrow last stripe, one token.
template <class Isa>
void narrow_f32_stripe(const float* weights, std::uint32_t width, const float* x, std::uint32_t cols,
                       float* out) noexcept {
  const std::uint32_t missing = Isa::lanes - width;
  Floats<Isa::lanes> sums[1][1];
  multiply_f32_tile<Isa, 1, 1>(weights - missing, width, x, cols, sums);
  for (std::uint32_t row = 0; row < width; ++row) out[row] = sums[0][0][missing + row];
}

template <class Isa, std::uint32_t n_stripes>
void f32_stripes(const float* weights, const float* x, std::uint32_t n_tokens, std::uint32_t cols, float* out,
                 std::size_t out_stride) noexcept {
  std::uint32_t token = 0;
  for (; token + Isa::f32_tile <= n_tokens; token += Isa::f32_tile) {
    full_f32_tile<Isa, n_stripes, Isa::f32_tile>(weights, x + std::size_t{token} * cols, cols,
                                                 out + token * out_stride, out_stride);
  }
  for (; token < n_tokens; ++token) {
    full_f32_tile<Isa, n_stripes, 1>(weights, x + std::size_t{token} * cols, cols, out + token * out_stride,
                                     out_stride);
  }
}

/// matrix: packed; rows: whole stripes.
template <class Isa>
void matmul_packed_f32(const Matrix& matrix, const float* x, std::uint32_t n_tokens, float* out,
                       std::uint32_t out_stride, Range rows) noexcept {
  const std::uint32_t cols = matrix.cols;
  const auto weights_of = [&](std::uint32_t row) {
    return reinterpret_cast<const float*>(matrix.data) + std::size_t{row} * cols;
  };
  std::uint32_t row = rows.begin;
  for (; row + Isa::f32_tile * Isa::lanes <= rows.end; row += Isa::f32_tile * Isa::lanes) {
    f32_stripes<Isa, Isa::f32_tile>(weights_of(row), x, n_tokens, cols, out + row, out_stride);
  }
  for (; row + Isa::lanes <= rows.end; row += Isa::lanes) {
    f32_stripes<Isa, 1>(weights_of(row), x, n_tokens, cols, out + row, out_stride);
  }
  if (row >= rows.end) return;
  for (std::size_t token = 0; token < n_tokens; ++token) {
    narrow_f32_stripe<Isa>(weights_of(row), rows.end - row, x + token * cols, cols,
                           out + token * out_stride + row);
  }
}

}  // namespace pspllm::host
