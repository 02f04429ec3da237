// From the stick into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/core/result.hpp"
#include "engine/model/engine.hpp"
#include "engine/model/model_file.hpp"
#include "engine/text/chat_template.hpp"
#include "psp/program/model_list.hpp"

namespace pspllm::psp {

/// The model that runs. One object in the program.
struct LoadedModel {
  ModelName name;
  ModelTitle title;
  std::uint64_t file_bytes = 0;
  std::uint32_t wanted_context = 0;  ///< What was asked for when it was loaded.
  FitResult fit;
  Engine engine;
  std::optional<ChatTemplate> chat_template;  ///< Where the model has one; points into the block.
  std::uint64_t load_us = 0;                  ///< How long it took.
  std::uint64_t ready_us = 0;                 ///< When it was ready, since the program's first line.
  bool ready = false;
};

struct LoadRequest {
  Path program_folder;
  ModelName name;
  std::uint32_t wanted_context = 0;
  const Kernels* kernels = nullptr;
  std::span<std::byte> block;    ///< 64-byte aligned; all of it may be used.
  ModelFile* scratch = nullptr;  ///< For the file's directory while it is loaded.
  Progress progress;             ///< Gives false to stop loading.
};

/// Reads and checks model and tokenizer into the block. `model.ready` is true only after success; whatever
/// was in the block is gone either way. Errors: as read_model_file(), plan_memory() and load_engine();
/// does_not_fit says what the model needs and what there is.
[[nodiscard]] pspllm::Status load_model(Stick& stick, const LoadRequest& request, LoadedModel& model);

}  // namespace pspllm::psp
