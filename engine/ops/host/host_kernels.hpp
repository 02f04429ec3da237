// The kernels for a PC: every set that this processor can run, and the fastest of them. All give the bits of
// the scalar reference.
#pragma once

#include <span>
#include <string_view>

#include "engine/ops/kernels.hpp"

namespace pspllm::host {

/// A set and the short name by which people choose it.
struct KernelSet {
  std::string_view name;  ///< "portable", "reference"; x86-64: "sse2", "avx2", "avx512vnni"; ARM: "neon"
  const Kernels* kernels = nullptr;
};

/// The sets that this processor can run, slowest first; the first two are always there.
[[nodiscard]] std::span<const KernelSet> available_kernels() noexcept;

/// The set of that name, or null where there is none or the processor cannot run it.
[[nodiscard]] const Kernels* find_kernels(std::string_view name) noexcept;

/// The fastest set that this processor can run.
[[nodiscard]] const Kernels& best_kernels() noexcept;

}  // namespace pspllm::host
