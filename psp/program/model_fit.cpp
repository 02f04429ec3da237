#include "psp/program/model_fit.hpp"

#include <algorithm>

#include "psp/program/autorun_job.hpp"

namespace pspllm::psp {
namespace {

/// Bytes of the plan with this context; the largest number where there is no plan.
std::uint64_t bytes_with_context(ModelFile& file, std::uint64_t tokenizer_bytes, std::uint32_t context,
                                 const Kernels& kernels) {
  MemoryPlan plan;
  const pspllm::Status status = plan_memory(file, plan_options(tokenizer_bytes, context), kernels, plan);
  return status ? plan.total_bytes : ~std::uint64_t{0};
}

}  // namespace

PlanOptions plan_options(std::uint64_t tokenizer_bytes, std::uint32_t context) {
  PlanOptions options;
  options.context = context;
  options.batch = prompt_batch;
  options.logit_rows = 1;
  options.tokenizer_file_bytes = tokenizer_bytes;
  options.max_prompt_bytes = max_prompt_bytes;
  return options;
}

FitResult fit_model(ModelFile& file, std::uint64_t tokenizer_bytes, std::uint32_t wanted_context,
                    std::uint64_t block_bytes, const Kernels& kernels) {
  const std::uint32_t own = file.config.seq_len;
  const std::uint32_t wanted = wanted_context == 0 ? own : std::min(wanted_context, own);
  const auto bytes = [&](std::uint32_t context) {
    return bytes_with_context(file, tokenizer_bytes, context, kernels);
  };
  const std::uint64_t wanted_bytes = bytes(wanted);
  if (wanted_bytes <= block_bytes) return {Fit::fits, wanted, wanted_bytes};

  const std::uint32_t least = std::min(least_context, wanted);
  const std::uint64_t least_bytes = bytes(least);
  if (least_bytes > block_bytes) {
    const bool elsewhere = block_bytes < large_console_bytes && least_bytes <= large_console_bytes;
    return {elsewhere ? Fit::needs_64_mb : Fit::too_big, 0, least_bytes};
  }
  // More context never takes less memory: halve the interval between one that fits and one that does not.
  std::uint32_t fitting = least;
  std::uint32_t too_long = wanted;
  while (too_long - fitting > 1) {
    const std::uint32_t middle = fitting + (too_long - fitting) / 2;
    (bytes(middle) <= block_bytes ? fitting : too_long) = middle;
  }
  return {Fit::fits_shorter, fitting, bytes(fitting)};
}

}  // namespace pspllm::psp
