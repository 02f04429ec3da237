// 16 lanes; a tile of 12 rows uses 24 of the 32 registers for its sums.
#include <immintrin.h>

#include "host/quantize/dense/dense_kernel_table.hpp"

namespace pspllm::host {
namespace {

struct DenseAvx512 {
  static constexpr const char* name = "avx512";
  static constexpr std::uint32_t lanes = 16;
  static constexpr std::uint32_t tile_rows = 12;

  static Floats<lanes> multiply_add(Floats<lanes> a, Floats<lanes> b, Floats<lanes> sum) noexcept {
    return _mm512_fmadd_ps(a, b, sum);
  }
};

}  // namespace

const DenseKernels& avx512_dense_kernels() noexcept {
  return dense_kernel_table<DenseAvx512>;
}

}  // namespace pspllm::host
