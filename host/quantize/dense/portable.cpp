// Any processor. Where it has no fused multiply-add the C library emulates one: the same bits, slowly.
#include <cmath>

#include "host/quantize/dense/dense_kernel_table.hpp"

namespace pspllm::host {
namespace {

struct DensePortable {
  static constexpr const char* name = "portable";
  static constexpr std::uint32_t lanes = 4;
  static constexpr std::uint32_t tile_rows = 6;

  static Floats<lanes> multiply_add(Floats<lanes> a, Floats<lanes> b, Floats<lanes> sum) noexcept {
    Floats<lanes> result;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) result[lane] = std::fma(a[lane], b[lane], sum[lane]);
    return result;
  }
};

}  // namespace

const DenseKernels& portable_dense_kernels() noexcept {
  return dense_kernel_table<DensePortable>;
}

}  // namespace pspllm::host
