// The program's own files beside it: settings and earlier prompts.
#pragma once

#include <span>
#include <string_view>

#include "psp/program/program_state.hpp"

namespace pspllm::psp {

/// Reads settings.txt and history.txt where they are; tells in the note what was not understood. A file that
/// cannot be read leaves the defaults.
void load_saved_files(ProgramState& state);

/// Each saves the file so that the older one survives any failure; a failure is told in the note.
void save_settings(ProgramState& state);
void save_history(ProgramState& state);

/// Saves text under a name in the program's folder.
[[nodiscard]] Status save_beside_program(ProgramState& state, std::string_view name, std::string_view text);

/// The text of a file in the program's folder; `exists` is false, and the text empty, where there is none.
/// The text lies in state.file_text.
[[nodiscard]] Status read_beside_program(ProgramState& state, std::string_view name, std::string_view& text,
                                         bool& exists);

}  // namespace pspllm::psp
