// What a PC computes with: a set of kernels and threads.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "engine/ops/kernels.hpp"
#include "engine/ops/parallel.hpp"

namespace pspllm::host {

struct ComputeOptions {
  std::string kernels = "best";  ///< a name of kernel_sets(), or "best"
  std::uint32_t threads = 0;     ///< 0: all cores where rows are big
};

/// A set of kernels under the name that --kernels takes.
struct NamedKernels {
  std::string name;
  const Kernels* kernels = nullptr;
};

/// The sets that run on this processor, "best" first.
[[nodiscard]] std::span<const NamedKernels> kernel_sets();

/// Kernels chosen and threads started.
class Compute {
 public:
  /// Throws Failure (wrong_use) where no set has that name.
  explicit Compute(const ComputeOptions& options);

  [[nodiscard]] const Kernels& kernels() const noexcept { return *kernels_; }
  [[nodiscard]] Parallel parallel() const noexcept { return {}; }
  [[nodiscard]] std::uint32_t thread_count() const noexcept { return 1; }

 private:
  const Kernels* kernels_ = nullptr;
};

}  // namespace pspllm::host
