// Products of float matrices. Each element is one chain of fused multiply-adds in order of the inner index,
// so results depend neither on blocking nor on the instruction set nor on how callers split work.
#pragma once

#include "host/quantize/dense/dense_kernels.hpp"
#include "host/quantize/dense/matrix.hpp"

namespace pspllm::host {

/// c += a b. a: [m, k]; b: [k, n]; c: [m, n], disjoint from both. On the calling thread.
void multiply_add(const MatrixView& a, const MatrixView& b, const MutableView& c,
                  const DenseKernels& kernels = best_dense_kernels());
/// c = a b.
void multiply(const MatrixView& a, const MatrixView& b, const MutableView& c,
              const DenseKernels& kernels = best_dense_kernels());

}  // namespace pspllm::host
