// A model on its way from the stick into memory.
#pragma once

#include <cstdint>
#include <string_view>

#include "psp/program/program_state.hpp"

namespace pspllm::psp {

struct LoadingView {
  std::string_view name;
  std::uint64_t done = 0;   ///< Bytes.
  std::uint64_t total = 0;  ///< Bytes.
  std::uint64_t elapsed_us = 0;
};

void draw_loading(CellScreen& screen, const LoadingView& view);

/// Loads the model with that context (0: as much as fits), showing how far it is. False when it did not
/// succeed: `problem` then says why; empty when the person stopped it with Circle or left.
[[nodiscard]] bool load_with_progress(ProgramState& state, const ModelName& name, std::uint32_t context,
                                      pspllm::Message& problem);

}  // namespace pspllm::psp
