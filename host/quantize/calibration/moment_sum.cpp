#include "host/quantize/calibration/moment_sum.hpp"

#include <algorithm>
#include <vector>

#include "host/quantize/codes/coding_problem.hpp"
#include "host/quantize/dense/multiply.hpp"

namespace pspllm::host {
namespace {

constexpr std::size_t tile = 192;

struct Tile {
  std::size_t row = 0;
  std::size_t col = 0;
};

}  // namespace

void MomentSum::add(const MatrixView& left, const MatrixView& right, const Parallel& parallel) {
  const bool symmetric = left.data == right.data;
  std::vector<Tile> tiles;
  for (std::size_t row = 0; row < sum_.rows; row += tile) {
    for (std::size_t col = symmetric ? row : 0; col < sum_.cols; col += tile) tiles.push_back({row, col});
  }
  for_each_unit(parallel, static_cast<std::uint32_t>(tiles.size()), [&](std::uint32_t index) {
    const auto [row, col] = tiles[index];
    FloatMatrix part(std::min(tile, sum_.rows - row), std::min(tile, sum_.cols - col));
    multiply(left.block(0, row, left.rows, part.rows).transposed(),
             right.block(0, col, right.rows, part.cols), part.mutable_view());
    for (std::size_t i = 0; i < part.rows; ++i) {
      for (std::size_t j = 0; j < part.cols; ++j) {
        const auto value = static_cast<double>(part.at(i, j));
        sum_.at(row + i, col + j) += value;
        if (symmetric && row != col) sum_.at(col + j, row + i) += value;
      }
    }
  });
  tokens_ += left.rows;
}

DoubleMatrix MomentSum::mean() const {
  DoubleMatrix result = sum_;
  const double factor = tokens_ > 0 ? 1.0 / static_cast<double>(tokens_) : 0.0;
  for (double& value : result.values) value *= factor;
  return result;
}

}  // namespace pspllm::host
