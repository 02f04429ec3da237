// Everything the program knows while it runs, in one place: there is no heap, and one program.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "psp/benchmark/loops.hpp"
#include "psp/platform/path.hpp"
#include "psp/program/cell_screen.hpp"
#include "psp/program/console.hpp"
#include "psp/program/model_list.hpp"
#include "psp/program/model_loader.hpp"
#include "psp/program/prompt_history.hpp"
#include "psp/program/settings.hpp"
#include "psp/program/stick.hpp"
#include "psp/program/text_session.hpp"

namespace pspllm::psp {

/// Which part of the text is on the screen, and what stands below it.
struct TextView {
  std::size_t top_line = 0;
  bool follow = true;  ///< Keeps the end in sight while the text grows.
  bool dirty = true;   ///< Something to see has changed since it was last drawn.
  TextBuffer<max_sentence_bytes>
      note;  ///< A sentence below the text until the next action; empty: why the text stopped.
  std::uint64_t drawn_second = 0;
  std::uint64_t drawing_us = 0;  ///< Spent on drawing since the text began.
};

/// While the model computes: what the person wants, and when something was last done.
struct BusyState {
  bool stop = false;  ///< Circle was pressed.
  std::uint64_t last_stay_awake_us = 0;
};

/// What the memory screen tells of the program itself.
struct MemoryFacts {
  std::uint64_t program_bytes = 0;  ///< Code, data and stacks.
};

struct ProgramState {
  ProgramState(Console& the_console, Stick& the_stick, const Kernels& the_kernels)
      : console(the_console), stick(the_stick), kernels(the_kernels) {}

  Console& console;
  Stick& stick;
  const Kernels& kernels;
  Path folder;                 ///< Of the program.
  std::span<std::byte> block;  ///< The one memory block.
  MemoryFacts memory;
  std::uint64_t started_us = 0;
  const LoopSet* benchmark_loops =
      nullptr;  ///< What the benchmark measures with; null: nothing can be measured.

  CellScreen screen;
  PadTracker pad;
  Settings settings;
  PromptHistory history;
  ModelList models;
  ModelFile scan_scratch;  ///< The directory of the file that is looked at or loaded.
  LoadedModel model;
  TextSession session;
  TextView view;
  BusyState busy;
  std::uint32_t seen_wakes = 0;

  /// Room for one file's text at a time, and for what the keyboard gives.
  std::array<char, max_history_bytes> file_text;  // any file that is read or written whole
  std::array<char, max_typed_bytes> typed_text;
};

inline constexpr std::string_view settings_file_name = "settings.txt";
inline constexpr std::string_view history_file_name = "history.txt";
inline constexpr std::string_view autorun_file_name = "autorun.txt";
inline constexpr std::string_view bench_file_name = "bench.txt";
inline constexpr std::string_view state_file_name = "state.txt";
inline constexpr std::string_view figures_file_name = "figures.txt";

}  // namespace pspllm::psp
