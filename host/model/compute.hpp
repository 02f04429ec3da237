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

/// Multiply-adds a token from which on all cores are worth their hand-over: a smaller model takes a fraction
/// of a millisecond a token on one core, and on a busy machine the others may not be there when they are
/// needed.
inline constexpr std::uint64_t smallest_threaded_work = std::uint64_t{4} << 20;

/// The names that --kernels takes on this processor: "best, reference, portable, ...".
[[nodiscard]] std::string kernel_names();

/// Kernels chosen and threads started.
class Compute {
 public:
  /// multiply_adds: of one generated token, which decides the number of threads where none was asked for.
  /// Throws Failure (wrong_use) where no set has that name.
  Compute(const ComputeOptions& options, std::uint64_t multiply_adds);

  [[nodiscard]] const Kernels& kernels() const noexcept { return *kernels_; }
  /// Valid as long as this object.
  [[nodiscard]] Parallel parallel() noexcept;
  [[nodiscard]] std::uint32_t thread_count() const noexcept;

 private:
  const Kernels* kernels_ = nullptr;
  std::unique_ptr<ThreadPool> threads_;  // null for one thread
};

}  // namespace pspllm::host
