// 8 lanes; a tile of 6 rows uses 12 of the 16 registers for its sums.
#include <immintrin.h>

#include "host/quantize/dense/dense_kernel_table.hpp"

namespace pspllm::host {
namespace {

struct DenseAvx2 {
  static constexpr const char* name = "avx2";
  static constexpr std::uint32_t lanes = 8;
  static constexpr std::uint32_t tile_rows = 6;

  static Floats<lanes> multiply_add(Floats<lanes> a, Floats<lanes> b, Floats<lanes> sum) noexcept {
    return _mm256_fmadd_ps(a, b, sum);
  }
};

}  // namespace

const DenseKernels& avx2_dense_kernels() noexcept {
  return dense_kernel_table<DenseAvx2>;
}

}  // namespace pspllm::host
