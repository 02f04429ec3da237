// How much context a memory has room for.
#pragma once

#include <cstdint>

#include "engine/model/memory_plan.hpp"

namespace pspllm {

/// What a memory has room for, and what that takes.
struct ContextFit {
  std::uint32_t context = 0;       ///< 0: not even the least
  std::uint64_t needed_bytes = 0;  ///< of the plan with that context, or with the least
};

/// The largest context of `least` to options.context (not 0; least at most that) whose plan takes at most
/// `block_bytes`. Changes nothing in `file` but the tensors' places in memory.
[[nodiscard]] ContextFit fit_context(ModelFile& file, const PlanOptions& options, std::uint32_t least,
                                     std::uint64_t block_bytes, const Kernels& kernels) noexcept;

}  // namespace pspllm
