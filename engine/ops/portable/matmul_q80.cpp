// q80 matrix times vectors: four rows of one token at once, or two rows of four. A weight is loaded and made
// a float once for all tokens, an activation loaded once for all rows.
#include <array>

#include "engine/ops/portable/portable_kernels.hpp"
#include "engine/ops/reference/matrix_view.hpp"
#include "engine/ops/reference/reference.hpp"
#include "engine/ops/unrolled.hpp"

namespace pspllm::portable {
namespace {

/// The places of some rows and tokens in the group that is worked on.
template <int Rows, int Tokens>
struct Places {
  std::array<const std::int8_t*, std::size_t{Rows}> weights;
  std::array<const float*, std::size_t{Tokens}> x;
};

template <int Rows, int Tokens>
using Sums = std::array<std::array<float, std::size_t{Rows}>, std::size_t{Tokens}>;

/// Column `Column` from the places on: the products of every row and token.
template <int Rows, int Tokens, int Column>
[[gnu::always_inline]] inline void add_column(const Places<Rows, Tokens>& places,
                                              Sums<Rows, Tokens>& dots) noexcept {
  std::array<float, std::size_t{Rows}> weights;
  unrolled<Rows>([&]<int Row>() __attribute__((always_inline)) {
    weights[Row] = static_cast<float>(places.weights[Row][Column]);
  });
  unrolled<Tokens>([&]<int Token>() __attribute__((always_inline)) {
    const float x = places.x[Token][Column];
    unrolled<Rows>([&]<int Row>() __attribute__((always_inline)) { dots[Token][Row] += weights[Row] * x; });
  });
}

template <int Rows, int Tokens, int Columns>
[[gnu::always_inline]] inline void add_columns(Places<Rows, Tokens>& places,
                                               Sums<Rows, Tokens>& dots) noexcept {
  unrolled<Columns>([&]<int Column>()
                        __attribute__((always_inline)) { add_column<Rows, Tokens, Column>(places, dots); });
  unrolled<Rows>([&]<int Row>() __attribute__((always_inline)) { places.weights[Row] += Columns; });
  unrolled<Tokens>([&]<int Token>() __attribute__((always_inline)) { places.x[Token] += Columns; });
}

/// Rows row … row + Rows - 1 for tokens token … token + Tokens - 1.
template <int Rows, int Tokens>
void multiply_rows(const Matrix& matrix, const QuantizedActivations& x, std::uint32_t row,
                   std::uint32_t token, float* out, std::uint32_t out_stride) noexcept {
  constexpr std::uint32_t columns_at_once = Tokens == 1 ? 8 : 4;
  const std::uint32_t groups = matrix.groups_per_row();
  Places<Rows, Tokens> places;
  const float* scales = reference::q80_row(matrix, row).scales;
  unrolled<Rows>([&]<int Row>() __attribute__((always_inline)) {
    places.weights[Row] = reference::q80_row(matrix, row + std::uint32_t{Row}).values;
  });
  unrolled<Tokens>([&]<int Token>() __attribute__((always_inline)) {
    places.x[Token] = token_records(x, token + std::uint32_t{Token});
  });
  Sums<Rows, Tokens> sums{};
  for (std::uint32_t group = 0; group < groups; ++group) {
    Sums<Rows, Tokens> dots{};
    std::uint32_t columns = matrix.group_size;
    for (; columns >= columns_at_once; columns -= columns_at_once) {
      add_columns<Rows, Tokens, int{columns_at_once}>(places, dots);
    }
    for (; columns > 0; --columns) add_columns<Rows, Tokens, 1>(places, dots);
    unrolled<Tokens>([&]<int Token>() __attribute__((always_inline)) {
      const float x_scale = *places.x[Token]++;
      unrolled<Rows>([&]<int Row>() __attribute__((always_inline)) {
        sums[Token][Row] += (dots[Token][Row] * scales[std::uint32_t{Row} * groups]) * x_scale;
      });
    });
    ++scales;
  }
  unrolled<Tokens>([&]<int Token>() __attribute__((always_inline)) {
    float* const token_out = out + std::size_t{token + std::uint32_t{Token}} * out_stride + row;
    unrolled<Rows>([&]<int Row>() __attribute__((always_inline)) { token_out[Row] = sums[Token][Row]; });
  });
}

template <int Tokens>
void multiply_tokens(const Matrix& matrix, const QuantizedActivations& x, std::uint32_t token, float* out,
                     std::uint32_t out_stride, Range rows) noexcept {
  // As many sums as stay in registers.
  constexpr std::uint32_t rows_at_once = Tokens == 1 ? 4 : 2;
  std::uint32_t row = rows.begin;
  for (; row + rows_at_once <= rows.end; row += rows_at_once) {
    multiply_rows<int{rows_at_once}, Tokens>(matrix, x, row, token, out, out_stride);
  }
  for (; row < rows.end; ++row) multiply_rows<1, Tokens>(matrix, x, row, token, out, out_stride);
}

}  // namespace

void matmul_q80(const Matrix& matrix, const QuantizedActivations& x, float* out, std::uint32_t out_stride,
                Range rows) noexcept {
  if (matrix.group_size > largest_exact_group) return reference::matmul_q80(matrix, x, out, out_stride, rows);
  constexpr std::uint32_t tokens_at_once = 4;
  std::uint32_t token = 0;
  for (; token + tokens_at_once <= x.n_tokens; token += tokens_at_once) {
    multiply_tokens<int{tokens_at_once}>(matrix, x, token, out, out_stride, rows);
  }
  for (; token < x.n_tokens; ++token) multiply_tokens<1>(matrix, x, token, out, out_stride, rows);
}

}  // namespace pspllm::portable
