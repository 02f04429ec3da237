#include "psp/program/model_fit.hpp"

#include <algorithm>

#include "engine/model/console_batch.hpp"
#include "engine/model/draft.hpp"
#include "engine/model/fit_context.hpp"
#include "psp/program/autorun_job.hpp"

namespace pspllm::psp {

PlanOptions plan_options(const SideFiles& files, std::uint32_t context) {
  PlanOptions options;
  options.context = context;
  options.batch = console_prompt_batch;
  // A pass with a guess at the next token has logits for both.
  options.logit_rows = files.draft_bytes == 0 ? 1 : draft_logit_rows;
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
    const ContextFit with_draft =
        fit_context(file, plan_options(files, wanted), wanted, block_bytes, kernels);
    if (with_draft.context != 0) return {Fit::fits, true, wanted, with_draft.needed_bytes};
  }
  const ContextFit fit = fit_context(file, plan_options({files.tokenizer_bytes, 0}, wanted),
                                     std::min(least_context, wanted), block_bytes, kernels);
  if (fit.context == wanted) return {Fit::fits, false, wanted, fit.needed_bytes};
  if (fit.context != 0) return {Fit::fits_shorter, false, fit.context, fit.needed_bytes};
  const bool elsewhere = block_bytes < large_console_bytes && fit.needed_bytes <= large_console_bytes;
  return {elsewhere ? Fit::needs_64_mb : Fit::too_big, false, 0, fit.needed_bytes};
}

}  // namespace pspllm::psp
