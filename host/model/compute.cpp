#include "host/model/compute.hpp"

#include <fmt/format.h>

#include "engine/ops/host/host_kernels.hpp"
#include "host/core/failure.hpp"

namespace pspllm::host {
namespace {

constexpr const char* best = "best";

const Kernels& kernels_named(const std::string& name) {
  if (name == best) return best_kernels();
  const Kernels* const kernels = find_kernels(name);
  if (kernels != nullptr) return *kernels;
  throw Failure(fmt::format("--kernels {}: no such set runs on this processor, expected one of: {}", name,
                            kernel_names()),
                ExitCode::wrong_use);
}

}  // namespace

std::string kernel_names() {
  std::string names = best;
  for (const KernelSet& set : available_kernels()) names += fmt::format(", {}", set.name);
  return names;
}

Compute::Compute(const ComputeOptions& options, std::uint64_t multiply_adds)
    : kernels_(&kernels_named(options.kernels)) {
  const std::uint32_t default_threads = multiply_adds < smallest_threaded_work ? 1 : available_threads();
  const std::uint32_t threads = options.threads == 0 ? default_threads : options.threads;
  if (threads > 1) threads_ = std::make_unique<ThreadPool>(threads);
}

Parallel Compute::parallel() noexcept {
  return threads_ == nullptr ? Parallel{} : threads_->parallel();
}

std::uint32_t Compute::thread_count() const noexcept {
  return threads_ == nullptr ? 1 : threads_->size();
}

}  // namespace pspllm::host
