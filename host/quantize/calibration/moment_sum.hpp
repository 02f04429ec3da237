// Sums of outer products over tokens: E[x x^T] of a matrix's inputs, E[t x^T] of its targets and inputs.
#pragma once

#include <cstdint>

#include "engine/ops/parallel.hpp"
#include "host/quantize/dense/matrix.hpp"

namespace pspllm::host {

class MomentSum {
 public:
  /// left_dim x right_dim zeros.
  MomentSum(std::size_t left_dim, std::size_t right_dim) : sum_(left_dim, right_dim) {}

  /// Adds left^T right. left: [tokens, left_dim]; right: [tokens, right_dim]. Where both are the same data
  /// only half is computed. The result does not depend on the number of threads.
  void add(const MatrixView& left, const MatrixView& right, const Parallel& parallel);

  /// The mean over all tokens added.
  [[nodiscard]] DoubleMatrix mean() const;

 private:
  DoubleMatrix sum_;
  std::uint64_t tokens_ = 0;
};

}  // namespace pspllm::host
