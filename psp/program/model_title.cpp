#include "psp/program/model_title.hpp"

#include <algorithm>
#include <array>

#include "engine/core/slice.hpp"
#include "psp/program/key_value.hpp"

namespace pspllm::psp {
namespace {

/// A description begins with the name; what stands further behind is of no use here.
constexpr std::size_t looked_at_bytes = 256;
constexpr std::string_view name_label = "name:";

std::size_t line_end(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && text[end] != '\n' && text[end] != '\r') ++end;
  return end;
}

std::size_t name_end(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && text[end] != ',' && text[end] != ';' && text[end] != '(') ++end;
  return end;
}

/// What a .pspm file says about itself; empty where it says nothing, or it cannot be read.
ModelTitle own_title(const ByteSource& source, const ModelFile& file) {
  const PspmSection& about = file.section(PspmSectionKind::about);
  if (about.kind == 0) return {};
  std::array<char, looked_at_bytes> bytes;
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(about.bytes, bytes.size()));
  const std::span<char> text = std::span(bytes).first(count);
  if (!source.read(source.context, about.offset, std::as_writable_bytes(text))) return {};
  return title_in({text.data(), text.size()});
}

}  // namespace

ModelTitle title_of(const ModelName& name, const Path& path) {
  return name.empty() ? ModelTitle(file_name_of(path.view())) : name;
}

ModelTitle title_of(const ModelName& name, const Path& path, const ByteSource& source,
                    const ModelFile& file) {
  const ModelTitle own = name.empty() ? own_title(source, file) : ModelTitle();
  return own.empty() ? title_of(name, path) : own;
}

ModelTitle title_in(std::string_view about) {
  std::string_view name = slice(about, 0, line_end(about));
  while (!about.empty()) {
    const std::string_view line = slice(about, 0, line_end(about));
    if (line.starts_with(name_label)) {
      name = slice(line, name_label.size(), line.size() - name_label.size());
      break;
    }
    const std::size_t next = std::min(about.size(), line.size() + 1);
    about = slice(about, next, about.size() - next);
  }
  return ModelTitle(trimmed(slice(name, 0, name_end(name))));
}

}  // namespace pspllm::psp
