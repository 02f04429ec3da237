// What a PC computes with: a set of kernels and threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/ops/kernels.hpp"
#include "engine/ops/parallel.hpp"
#include "host/threads/thread_pool.hpp"

namespace pspllm::host {

struct ComputeOptions {
  std::string kernels = "best";  ///< a name of available_kernels(), or "best"
  std::uint32_t threads = 0;     ///< 0: all cores where rows are big
};

/// The names that --kernels takes on this processor: "best, reference, portable, ...".
[[nodiscard]] std::string kernel_names();

/// Kernels chosen and threads started.
class Compute {
 public:
  /// Throws Failure (wrong_use) where no set has that name.
  explicit Compute(const ComputeOptions& options);

  [[nodiscard]] const Kernels& kernels() const noexcept { return *kernels_; }
  /// Valid as long as this object.
  [[nodiscard]] Parallel parallel() noexcept;
  [[nodiscard]] std::uint32_t thread_count() const noexcept;

 private:
  const Kernels* kernels_ = nullptr;
  std::unique_ptr<ThreadPool> threads_;  // null for one thread
};

}  // namespace pspllm::host
