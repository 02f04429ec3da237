#include "host/quantize/dense/dense_kernels.hpp"

#include <array>

namespace pspllm::host {
namespace {

struct Supported {
  std::array<const DenseKernels*, 3> kernels{};
  std::size_t count = 0;
};

Supported find_supported() noexcept {
  Supported supported;
  const auto add = [&](const DenseKernels& kernels) { supported.kernels[supported.count++] = &kernels; };
  add(portable_dense_kernels());
#if defined(__x86_64__)
  const bool has_fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (has_fma) add(avx2_dense_kernels());
  if (has_fma && __builtin_cpu_supports("avx512f")) add(avx512_dense_kernels());
#endif
  return supported;
}

}  // namespace

std::span<const DenseKernels* const> supported_dense_kernels() noexcept {
  static const Supported supported = find_supported();
  return {supported.kernels.data(), supported.count};
}

const DenseKernels& best_dense_kernels() noexcept {
  return *supported_dense_kernels().back();
}

}  // namespace pspllm::host
