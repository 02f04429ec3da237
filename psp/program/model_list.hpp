// The models on the stick: model.pspm, or model.bin and tokenizer.bin, beside the program and in folders
// under models/.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/core/message.hpp"
#include "engine/ops/kernels.hpp"
#include "psp/program/model_fit.hpp"
#include "psp/program/model_title.hpp"
#include "psp/program/settings.hpp"
#include "psp/program/stick.hpp"

namespace pspllm::psp {

/// Our own single file; it goes before a model.bin that lies beside it.
inline constexpr std::string_view single_file_name = "model.pspm";
inline constexpr std::string_view model_file_name = "model.bin";
inline constexpr std::string_view tokenizer_file_name = "tokenizer.bin";
/// Optional; makes the same text come faster (engine/model/draft.hpp).
inline constexpr std::string_view draft_file_name = "draft.bin";
inline constexpr std::string_view models_folder_name = "models";

/// Models that are listed; further folders are counted in `left_out`.
inline constexpr std::size_t max_models = 24;

struct ModelEntry {
  ModelName name;  ///< Folder under models/; empty: the one beside the program.
  ModelTitle title;
  std::uint64_t file_bytes = 0;
  SideFiles side_files;
  std::uint64_t parameters = 0;
  std::uint32_t own_context = 0;
  FitResult fit;
  bool usable_file = false;  ///< The header is right and the tokenizer is there or inside.
  pspllm::Message problem;   ///< What is wrong where not usable.
};

struct ModelList {
  std::array<ModelEntry, max_models> entries;  // [count]
  std::size_t count = 0;
  std::size_t left_out = 0;

  [[nodiscard]] std::span<const ModelEntry> models() const { return {entries.data(), count}; }
};

/// What scanning needs to know; `scratch` is overwritten for each model.
struct ScanRequest {
  Path program_folder;
  std::uint32_t wanted_context = 0;
  std::uint64_t block_bytes = 0;
  const Kernels* kernels = nullptr;
  ModelFile* scratch = nullptr;
};

/// Looks at every model's header. The model beside the program comes first, then folders in name order. A
/// model that cannot be read is listed with its problem.
void scan_models(Stick& stick, const ScanRequest& request, ModelList& list);

/// The model's file: model.pspm where there is one, model.bin otherwise.
[[nodiscard]] Path model_path(Stick& stick, const Path& program_folder, const ModelName& name);
[[nodiscard]] Path tokenizer_path(const Path& program_folder, const ModelName& name);
[[nodiscard]] Path draft_path(const Path& program_folder, const ModelName& name);

/// Size of the model's draft table; 0 where there is none, or none that can be asked about.
[[nodiscard]] std::uint64_t draft_file_bytes(Stick& stick, const Path& program_folder, const ModelName& name);

/// Index of the model with this name, or count.
[[nodiscard]] std::size_t find_model(const ModelList& list, const ModelName& name);

/// The first model that can run, preferring `name`; count where none can.
[[nodiscard]] std::size_t preferred_model(const ModelList& list, const ModelName& name);

[[nodiscard]] constexpr bool runnable(const ModelEntry& entry) {
  return entry.usable_file && (entry.fit.fit == Fit::fits || entry.fit.fit == Fit::fits_shorter);
}

/// "fits", "fits with context 128", "needs 64 MB", "too big", "cannot be used".
[[nodiscard]] TextBuffer<40> fit_label(const ModelEntry& entry);

}  // namespace pspllm::psp
