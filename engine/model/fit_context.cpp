#include "engine/model/fit_context.hpp"

namespace pspllm {
namespace {

/// The largest number where there is no plan.
std::uint64_t planned_bytes(ModelFile& file, PlanOptions options, std::uint32_t context,
                            const Kernels& kernels) noexcept {
  options.context = context;
  MemoryPlan plan;
  const Status status = plan_memory(file, options, kernels, plan);
  return status ? plan.total_bytes : ~std::uint64_t{0};
}

}  // namespace

ContextFit fit_context(ModelFile& file, const PlanOptions& options, std::uint32_t least,
                       std::uint64_t block_bytes, const Kernels& kernels) noexcept {
  const auto bytes = [&](std::uint32_t context) { return planned_bytes(file, options, context, kernels); };
  if (const std::uint64_t all = bytes(options.context); all <= block_bytes) return {options.context, all};
  if (const std::uint64_t few = bytes(least); few > block_bytes) return {0, few};
  // More context never takes less memory: halve the interval between one that fits and one that does not.
  std::uint32_t fitting = least;
  std::uint32_t too_long = options.context;
  while (too_long - fitting > 1) {
    const std::uint32_t middle = fitting + (too_long - fitting) / 2;
    (bytes(middle) <= block_bytes ? fitting : too_long) = middle;
  }
  return {fitting, bytes(fitting)};
}

}  // namespace pspllm
