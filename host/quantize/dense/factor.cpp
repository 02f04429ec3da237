#include "host/quantize/dense/factor.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace pspllm::host {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Eigen splits its sums by the processor's cache sizes: fixed ones give every machine the same bits.
void fix_block_sizes() {
  constexpr std::ptrdiff_t first_level = 32 * 1024;
  constexpr std::ptrdiff_t second_level = 512 * 1024;
  constexpr std::ptrdiff_t third_level = 4 * 1024 * 1024;
  Eigen::setCpuCacheSizes(first_level, second_level, third_level);
}

Eigen::MatrixXd damped(const DoubleMatrix& moments, double share) {
  fix_block_sizes();
  const auto n = static_cast<Eigen::Index>(moments.rows);
  Eigen::MatrixXd result = Eigen::Map<const RowMajor>(moments.values.data(), n, n);
  result.diagonal().array() += share * mean_diagonal(moments);
  return result;
}

}  // namespace

double mean_diagonal(const DoubleMatrix& matrix) noexcept {
  double sum = 0.0;
  for (std::size_t i = 0; i < matrix.rows; ++i) sum += matrix.at(i, i);
  return matrix.rows == 0 ? 0.0 : sum / static_cast<double>(matrix.rows);
}

FloatMatrix upper_factor(const DoubleMatrix& moments, double damping) {
  const std::size_t n = moments.rows;
  FloatMatrix factor(n, n);
  const bool has_energy = mean_diagonal(moments) > 0.0;
  if (!has_energy) {
    for (std::size_t i = 0; i < n; ++i) factor.at(i, i) = 1.0F;
    return factor;
  }
  // Reversing rows and columns turns an upper factor into a lower one, which Cholesky gives.
  Eigen::MatrixXd reversed = damped(moments, damping).reverse();
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> lower(reversed);
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t col = row; col < n; ++col) {
      factor.at(row, col) = static_cast<float>(
          reversed(static_cast<Eigen::Index>(n - 1 - row), static_cast<Eigen::Index>(n - 1 - col)));
    }
  }
  return factor;
}

FloatMatrix solve_right(const DoubleMatrix& moments, double ridge, const FloatMatrix& right) {
  FloatMatrix solution(right.rows, right.cols);
  const bool has_energy = mean_diagonal(moments) > 0.0;
  if (!has_energy) return solution;
  Eigen::MatrixXd matrix = damped(moments, ridge);
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(matrix);
  using RowMajorFloats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto rows = static_cast<Eigen::Index>(right.rows);
  const auto cols = static_cast<Eigen::Index>(right.cols);
  const Eigen::Map<const RowMajorFloats> known(right.values.data(), rows, cols);
  Eigen::MatrixXd columns = known.transpose().cast<double>();
  factor.solveInPlace(columns);
  Eigen::Map<RowMajorFloats>(solution.values.data(), rows, cols) = columns.transpose().cast<float>();
  return solution;
}

}  // namespace pspllm::host
