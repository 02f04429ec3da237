// What the steps of quantize_matrix() share.
#pragma once

#include <atomic>
#include <cstdint>

#include "engine/ops/parallel.hpp"
#include "host/quantize/codes/code_weights.hpp"

namespace pspllm::host {

/// One matrix and the inputs that it will meet.
struct CodingProblem {
  const FloatMatrix& weights;  // [rows, cols]
  FloatMatrix moments;         // [cols, cols] damped, mean diagonal 1 before damping
  FloatMatrix factor;          // [cols, cols] upper: factor factor^T = moments
  const Parallel& parallel;

  [[nodiscard]] std::uint32_t rows() const noexcept { return static_cast<std::uint32_t>(weights.rows); }
  [[nodiscard]] std::uint32_t cols() const noexcept { return static_cast<std::uint32_t>(weights.cols); }
};

/// Columns of a group: the last may have fewer than code_width.
[[nodiscard]] inline std::uint32_t group_cols(const CodeWeights& weights, std::uint32_t group) noexcept {
  return std::min(weights.code_width, weights.cols - group * weights.code_width);
}

/// Calls body(unit) for every unit of [0, count), on any thread in any order.
template <typename Body>
void for_each_unit(const Parallel& parallel, std::uint32_t count, Body body) {
  // Units differ in size and cores in load: whoever is free takes the next one.
  std::atomic<std::uint32_t> next{0};
  constexpr std::uint64_t always_worth_sharing = UINT64_MAX;
  parallel(count, always_worth_sharing, [&](std::uint32_t /*begin*/, std::uint32_t /*end*/) {
    for (std::uint32_t unit = next++; unit < count; unit = next++) body(unit);
  });
}

/// Rows that one unit of work takes: their sums fit the second-level cache.
inline constexpr std::uint32_t rows_per_unit = 96;

/// Calls body(first_row, n_rows) for stripes of rows, on any thread in any order.
template <typename Body>
void for_each_row_stripe(const Parallel& parallel, std::uint32_t rows, Body body) {
  for_each_unit(parallel, (rows + rows_per_unit - 1) / rows_per_unit, [&](std::uint32_t unit) {
    const std::uint32_t first = unit * rows_per_unit;
    body(first, std::min(rows_per_unit, rows - first));
  });
}

/// Weights of rows [first, first + n) divided by their row scales: what codewords approximate. Rows of scale
/// 0 give zeros.
[[nodiscard]] FloatMatrix scaled_rows(const CodingProblem& problem, const CodeWeights& codes,
                                      std::uint32_t first, std::uint32_t n);
/// The codewords of those rows, not scaled.
[[nodiscard]] FloatMatrix codewords_of_rows(const CodeWeights& codes, std::uint32_t first, std::uint32_t n);

}  // namespace pspllm::host
