#include "host/model/compute.hpp"

#include <fmt/format.h>

#include <vector>

#include "host/core/failure.hpp"

namespace pspllm::host {

std::span<const NamedKernels> kernel_sets() {
  static const std::vector<NamedKernels> sets{
      {"best", &reference_kernels()},
      {"reference", &reference_kernels()},
  };
  return sets;
}

Compute::Compute(const ComputeOptions& options) {
  std::string names;
  for (const NamedKernels& set : kernel_sets()) {
    if (set.name == options.kernels) kernels_ = set.kernels;
    names += (names.empty() ? "" : ", ") + set.name;
  }
  if (kernels_ == nullptr) {
    throw Failure(fmt::format("--kernels {}: there is no such set, expected one of: {}", options.kernels, names),
                  ExitCode::wrong_use);
  }
}

}  // namespace pspllm::host
