#include "psp/program/model_fit.hpp"

#include <algorithm>

#include "psp/program/autorun_job.hpp"

namespace pspllm::psp {
namespace {

/// Bytes of the plan with this context; the largest number where there is no plan.
std::uint64_t bytes_with_context(ModelFile& file, const SideFiles& files, std::uint32_t context,
                                 const Kernels& kernels) {
  MemoryPlan plan;
  const pspllm::Status status = plan_memory(file, plan_options(files, context), kernels, plan);
  return status ? plan.total_bytes : ~std::uint64_t{0};
}

}  // namespace

PlanOptions plan_options(const SideFiles& files, std::uint32_t context) {
  PlanOptions options;
  options.context = context;
  options.batch = prompt_batch;
  // A pass with a guess at the next token has logits for both.
  options.logit_rows = files.draft_bytes == 0 ? 1 : 2;
  options.tokenizer_file_bytes = files.tokenizer_bytes;
  options.draft_file_bytes = files.draft_bytes;
  options.max_prompt_bytes = max_prompt_bytes;
  return options;
}

FitResult fit_model(ModelFile& file, const SideFiles& files, std::uint32_t wanted_context,
                    std::uint64_t block_bytes, const Kernels& kernels) {
  const std::uint32_t own = file.config.seq_len;
  const std::uint32_t wanted = wanted_context == 0 ? own : std::min(wanted_context, own);
  if (files.draft_bytes != 0) {
    const std::uint64_t draft_bytes = bytes_with_context(file, files, wanted, kernels);
    if (draft_bytes <= block_bytes) return {Fit::fits, true, wanted, draft_bytes};
  }
  const auto bytes = [&](std::uint32_t context) {
    return bytes_with_context(file, {files.tokenizer_bytes, 0}, context, kernels);
  };
  const std::uint64_t wanted_bytes = bytes(wanted);
  if (wanted_bytes <= block_bytes) return {Fit::fits, false, wanted, wanted_bytes};

  const std::uint32_t least = std::min(least_context, wanted);
  const std::uint64_t least_bytes = bytes(least);
  if (least_bytes > block_bytes) {
    const bool elsewhere = block_bytes < large_console_bytes && least_bytes <= large_console_bytes;
    return {elsewhere ? Fit::needs_64_mb : Fit::too_big, false, 0, least_bytes};
  }
  // More context never takes less memory: halve the interval between one that fits and one that does not.
  std::uint32_t fitting = least;
  std::uint32_t too_long = wanted;
  while (too_long - fitting > 1) {
    const std::uint32_t middle = fitting + (too_long - fitting) / 2;
    (bytes(middle) <= block_bytes ? fitting : too_long) = middle;
  }
  return {Fit::fits_shorter, false, fitting, bytes(fitting)};
}

}  // namespace pspllm::psp
