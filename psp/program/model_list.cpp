#include "psp/program/model_list.hpp"

#include "engine/model/model_file.hpp"
#include "psp/program/file_source.hpp"

namespace pspllm::psp {
namespace {

Path folder_of_model(const Path& program_folder, const ModelName& name) {
  if (name.empty()) return program_folder;
  return join_path(join_path(program_folder.view(), models_folder_name).view(), name.view());
}

/// Size of a file that must be there; says what to do where it is not.
bool find_file(Stick& stick, const Path& path, std::uint64_t& bytes, pspllm::Message& problem) {
  FileInfo info;
  if (Status status = stick.info(path, info); !status.ok()) {
    problem = message(status.sentence.view());
    return false;
  }
  if (!info.exists || info.is_directory) {
    problem = message(path.view(), " is missing; copy it beside the other file of the model");
    return false;
  }
  bytes = info.size;
  return true;
}

/// The model's directory, and the name that it gives itself where its folder gives none.
bool read_header(Stick& stick, const Path& path, ModelFile& file, ModelEntry& entry) {
  FileReader& reader = stick.model_file();
  if (Status status = reader.open(path); !status.ok()) {
    entry.problem = message(status.sentence.view());
    return false;
  }
  const pspllm::Status status = read_model_file(source_of(reader), file);
  if (status) entry.title = title_of(entry.name, path, source_of(reader), file);
  reader.close();
  if (!status) entry.problem = status.error().message;
  return status.ok();
}

void inspect(Stick& stick, const ScanRequest& request, ModelEntry& entry) {
  const Path path = model_path(stick, request.program_folder, entry.name);
  entry.title = title_of(entry.name, path);
  if (!find_file(stick, path, entry.file_bytes, entry.problem)) return;
  ModelFile& file = *request.scratch;
  if (!read_header(stick, path, file, entry)) return;
  entry.parameters = file.config.parameter_count();
  entry.own_context = file.config.seq_len;
  if (file.own_tokenizer_bytes() == 0) {
    const Path tokenizer = tokenizer_path(request.program_folder, entry.name);
    if (!find_file(stick, tokenizer, entry.side_files.tokenizer_bytes, entry.problem)) return;
  }
  entry.side_files.draft_bytes = draft_file_bytes(stick, request.program_folder, entry.name);
  entry.fit =
      fit_model(file, entry.side_files, request.wanted_context, request.block_bytes, *request.kernels);
  entry.usable_file = true;
}

char lower(char character) {
  return character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a') : character;
}

/// Order of names without regard to case (short ones may come back in upper case), for a list that does not
/// depend on the order in which files were copied.
bool comes_before(const ModelName& left, const ModelName& right) {
  const std::string_view a = left.view();
  const std::string_view b = right.view();
  std::size_t i = 0;
  while (i < a.size() && i < b.size() && lower(a[i]) == lower(b[i])) ++i;
  return i == a.size() || i == b.size() ? a.size() < b.size() : lower(a[i]) < lower(b[i]);
}

struct FolderScan {
  ModelList& list;
};

void add_folder(void* context, const DirectoryEntry& entry) {
  if (!entry.info.is_directory) return;
  ModelList& list = static_cast<FolderScan*>(context)->list;
  const ModelName name(entry.name.view());
  if (name.truncated() || list.count == max_models) {
    ++list.left_out;
    return;
  }
  std::size_t place = list.count++;
  while (place > 0 && comes_before(name, list.entries[place - 1].name)) {
    list.entries[place] = list.entries[place - 1];
    --place;
  }
  list.entries[place] = {};
  list.entries[place].name = name;
}

}  // namespace

Path model_path(Stick& stick, const Path& program_folder, const ModelName& name) {
  const Path folder = folder_of_model(program_folder, name);
  const Path single_file = join_path(folder.view(), single_file_name);
  FileInfo info;
  const bool is_there = stick.info(single_file, info).ok() && info.exists && !info.is_directory;
  return is_there ? single_file : join_path(folder.view(), model_file_name);
}

Path tokenizer_path(const Path& program_folder, const ModelName& name) {
  return join_path(folder_of_model(program_folder, name).view(), tokenizer_file_name);
}

Path draft_path(const Path& program_folder, const ModelName& name) {
  return join_path(folder_of_model(program_folder, name).view(), draft_file_name);
}

std::uint64_t draft_file_bytes(Stick& stick, const Path& program_folder, const ModelName& name) {
  FileInfo info;
  const bool known = stick.info(draft_path(program_folder, name), info).ok();
  return known && info.exists && !info.is_directory ? info.size : 0;
}

void scan_models(Stick& stick, const ScanRequest& request, ModelList& list) {
  list.count = 0;
  list.left_out = 0;
  FileInfo beside;
  if (stick.info(model_path(stick, request.program_folder, {}), beside).ok() && beside.exists) {
    list.entries[0] = {};
    list.count = 1;
  }
  FolderScan scan{list};
  // A folder that cannot be read holds no models; the stick's other files may still do.
  static_cast<void>(
      stick.list_folder(join_path(request.program_folder.view(), models_folder_name), {&scan, add_folder}));
  for (std::size_t i = 0; i < list.count; ++i) inspect(stick, request, list.entries[i]);
}

std::size_t find_model(const ModelList& list, const ModelName& name) {
  std::size_t index = 0;
  while (index < list.count && !equal_ignoring_case(list.entries[index].name.view(), name.view())) ++index;
  return index;
}

std::size_t preferred_model(const ModelList& list, const ModelName& name) {
  const std::size_t named = find_model(list, name);
  if (named < list.count && runnable(list.entries[named])) return named;
  std::size_t index = 0;
  while (index < list.count && !runnable(list.entries[index])) ++index;
  return index;
}

TextBuffer<40> fit_label(const ModelEntry& entry) {
  TextBuffer<40> label;
  if (!entry.usable_file) return label.append("cannot be used");
  switch (entry.fit.fit) {
    case Fit::fits:
      return label.append("fits");
    case Fit::fits_shorter:
      return label.append("fits with context ").append_unsigned(entry.fit.context);
    case Fit::needs_64_mb:
      return label.append("needs 64 MB");
    case Fit::too_big:
      return label.append("too big");
  }
  return label;
}

}  // namespace pspllm::psp
