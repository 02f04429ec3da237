#pragma once
// Which of the 128 VFPU registers an operand names. A register's index is matrix * 16 + column * 4 + row, so
// that a column lies in one piece. Numbering of vectors and matrices: vfpu-docs reginfo.py; allegrex.md 2.1.
#include <array>

#include "simulator/words.hpp"

namespace pspllm::simulator {

using VectorLanes = std::array<Byte, 4>;
// [vector or matrix column][lane]; an n x n matrix uses the first n of each.
using MatrixLanes = std::array<VectorLanes, 4>;

[[nodiscard]] constexpr Byte vfpu_index(unsigned matrix, unsigned column, unsigned row) {
  return static_cast<Byte>(matrix * 16U + (column & 3U) * 4U + (row & 3U));
}

// The single register of number r.
[[nodiscard]] constexpr Byte vfpu_single(unsigned r) {
  return vfpu_index((r >> 2U) & 7U, r & 3U, (r >> 5U) & 3U);
}

// First row of a vector or matrix of n lanes.
[[nodiscard]] constexpr unsigned vfpu_first_row(unsigned n, unsigned r) {
  return n == 3 ? (r >> 6U) & 1U : (r >> 5U) & 2U;
}

[[nodiscard]] constexpr VectorLanes vfpu_vector(unsigned n, unsigned r) {
  VectorLanes lanes{};
  if (n == 1) {
    lanes.fill(vfpu_single(r));
    return lanes;
  }
  const unsigned matrix = (r >> 2U) & 7U;
  const unsigned line = r & 3U;
  const bool is_row = (r & 32U) != 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned along = vfpu_first_row(n, r) + i;
    lanes[i] = is_row ? vfpu_index(matrix, along, line) : vfpu_index(matrix, line, along);
  }
  return lanes;
}

[[nodiscard]] constexpr MatrixLanes vfpu_matrix(unsigned n, unsigned r) {
  MatrixLanes lanes{};
  const unsigned matrix = (r >> 2U) & 7U;
  const bool transposed = (r & 32U) != 0;
  for (unsigned j = 0; j < 4; ++j) {
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned along = vfpu_first_row(n, r) + i;
      const unsigned across = (r & 3U) + j;
      lanes[j][i] = transposed ? vfpu_index(matrix, along, across) : vfpu_index(matrix, across, along);
    }
  }
  return lanes;
}

namespace detail {
constexpr auto make_vector_table() {
  std::array<std::array<VectorLanes, 128>, 5> table{};
  for (unsigned n = 1; n <= 4; ++n)
    for (unsigned r = 0; r < 128; ++r) table[n][r] = vfpu_vector(n, r);
  return table;
}
constexpr auto make_matrix_table() {
  std::array<std::array<MatrixLanes, 128>, 5> table{};
  for (unsigned n = 2; n <= 4; ++n)
    for (unsigned r = 0; r < 128; ++r) table[n][r] = vfpu_matrix(n, r);
  return table;
}
}  // namespace detail

// [n][register number]
inline constexpr auto vector_table = detail::make_vector_table();
inline constexpr auto matrix_table = detail::make_matrix_table();

}  // namespace pspllm::simulator
