#include "engine/ops/host/host_kernels.hpp"

#include <array>
#include <cstddef>

#include "engine/ops/host/kernel_sets.hpp"
#include "engine/ops/portable/portable_kernels.hpp"

namespace pspllm::host {
namespace {

struct AvailableSets {
  std::array<KernelSet, 5> sets;
  std::size_t count = 0;

  void add(std::string_view name, const Kernels& kernels) noexcept { sets[count++] = {name, &kernels}; }
};

AvailableSets detect_sets() noexcept {
  AvailableSets available;
  available.add("portable", portable_kernels());
  available.add("reference", reference_kernels());
#if defined(__x86_64__)
  available.add("sse2", sse2_kernels());
  if (__builtin_cpu_supports("avx2")) available.add("avx2", avx2_kernels());
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512vnni")) {
    available.add("avx512vnni", avx512vnni_kernels());
  }
#elif defined(__aarch64__)
  available.add("neon", neon_kernels());
#endif
  return available;
}

}  // namespace

std::span<const KernelSet> available_kernels() noexcept {
  static const AvailableSets available = detect_sets();
  return {available.sets.data(), available.count};
}

const Kernels* find_kernels(std::string_view name) noexcept {
  for (const KernelSet& set : available_kernels()) {
    if (set.name == name) return set.kernels;
  }
  return nullptr;
}

const Kernels& best_kernels() noexcept {
  return *available_kernels().back().kernels;
}

}  // namespace pspllm::host
