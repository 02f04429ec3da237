// Whether a model fits this console's memory, and with which context.
#pragma once

#include <cstdint>

#include "engine/model/memory_plan.hpp"
#include "engine/model/model_file.hpp"
#include "engine/ops/kernels.hpp"

namespace pspllm::psp {

/// A shorter context than this is no use: the model is said not to fit.
inline constexpr std::uint32_t least_context = 32;
/// What programs get on a console with 64 MB (firmware leaves 51 to 55 MB), less what the program keeps back.
inline constexpr std::uint64_t large_console_bytes = 50U << 20;

enum class Fit : std::uint8_t {
  fits,          ///< With the context asked for.
  fits_shorter,  ///< With less context than asked for.
  needs_64_mb,   ///< Not here, but on a PSP-2000 and later.
  too_big
};

/// Sizes of the files beside model.bin.
struct SideFiles {
  std::uint64_t tokenizer_bytes = 0;
  std::uint64_t draft_bytes = 0;  ///< Of the draft table; 0: there is none.
};

struct FitResult {
  Fit fit = Fit::too_big;
  bool uses_draft = false;         ///< There is a draft table, and it fits without giving up context.
  std::uint32_t context = 0;       ///< That it would run with; 0 where it does not fit.
  std::uint64_t needed_bytes = 0;  ///< With that context, or with the shortest where it does not fit.
};

/// The options that the program plans with.
[[nodiscard]] PlanOptions plan_options(const SideFiles& files, std::uint32_t context);

/// wanted_context 0: the model's own; more than its own counts as its own. Changes nothing in `file` but the
/// tensors' places in memory.
[[nodiscard]] FitResult fit_model(ModelFile& file, const SideFiles& files, std::uint32_t wanted_context,
                                  std::uint64_t block_bytes, const Kernels& kernels);

}  // namespace pspllm::psp
