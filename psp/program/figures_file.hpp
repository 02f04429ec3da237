// figures.txt: what an autorun measured, one `key=value` a line, for tests and for comparing consoles.
#pragma once

#include <cstdint>
#include <string_view>

#include "psp/platform/text_buffer.hpp"
#include "psp/program/model_loader.hpp"
#include "psp/program/text_session.hpp"

namespace pspllm::psp {

struct RunFacts {
  TextFigures figures;
  StopReason stop = StopReason::none;
  std::uint32_t text_tokens = 0;     ///< Of the whole text: prompts, what stands around them, answers.
  std::uint32_t renewed_tokens = 0;  ///< Passed again to renew a rolling window.
  std::uint64_t start_us = 0;        ///< From the program's first line to the model being ready.
  std::uint64_t drawing_us = 0;      ///< Spent on the screen while the story ran.
  ClockSpeed clock;
  std::uint64_t block_bytes = 0;
  std::uint64_t free_bytes = 0;     ///< What the system could still give.
  std::uint64_t program_bytes = 0;  ///< Code, data and stacks of the program itself.
  std::string_view error;           ///< Empty when the run went well.
};

inline constexpr std::size_t max_figures_bytes = 2048;

/// `model` is null where none was loaded.
[[nodiscard]] TextBuffer<max_figures_bytes> format_figures(const RunFacts& facts, const LoadedModel* model);

}  // namespace pspllm::psp
