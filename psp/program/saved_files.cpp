#include "psp/program/saved_files.hpp"

#include "psp/program/interaction.hpp"

namespace pspllm::psp {
namespace {

void load_settings(ProgramState& state) {
  std::string_view text;
  bool exists = false;
  if (Status status = read_beside_program(state, settings_file_name, text, exists); !status.ok()) {
    note_failure(state, status);
    return;
  }
  if (!exists) return;
  const ParsedSettings parsed = parse_settings(text);
  state.settings = parsed.settings;
  if (parsed.bad_lines == 0) return;
  TextBuffer<160> note;
  note.append(settings_file_name).append(": ").append_unsigned(parsed.bad_lines);
  note.append(parsed.bad_lines == 1 ? " line was" : " lines were").append(" not understood and left out.");
  set_note(state, note.view());
}

void load_history(ProgramState& state) {
  std::string_view text;
  bool exists = false;
  if (Status status = read_beside_program(state, history_file_name, text, exists); !status.ok()) {
    note_failure(state, status);
    return;
  }
  state.history.parse(text);
}

}  // namespace

void load_saved_files(ProgramState& state) {
  load_settings(state);
  load_history(state);
}

void save_settings(ProgramState& state) {
  const SettingsText text = format_settings(state.settings);
  note_failure(state, save_beside_program(state, settings_file_name, text.view()));
}

void save_history(ProgramState& state) {
  const std::size_t bytes = state.history.format(state.file_text);
  note_failure(state, save_beside_program(state, history_file_name, {state.file_text.data(), bytes}));
}

Status save_beside_program(ProgramState& state, std::string_view name, std::string_view text) {
  const SaveScope scope(state.stick);
  const std::string_view pieces[] = {text};
  return save_atomically(state.stick, join_path(state.folder.view(), name), pieces);
}

Status read_beside_program(ProgramState& state, std::string_view name, std::string_view& text, bool& exists) {
  const Path path = join_path(state.folder.view(), name);
  text = {};
  exists = false;
  // On a protected stick nothing can be put right; the file itself may still be whole.
  static_cast<void>(recover_saved_file(state.stick, path));
  FileInfo info;
  if (Status status = state.stick.info(path, info); !status.ok()) return status;
  if (!info.exists) return {};
  std::size_t bytes = 0;
  if (Status status = state.stick.read_whole(path, std::as_writable_bytes(std::span(state.file_text)), bytes);
      !status.ok()) {
    return status;
  }
  exists = true;
  text = {state.file_text.data(), bytes};
  return {};
}

}  // namespace pspllm::psp
