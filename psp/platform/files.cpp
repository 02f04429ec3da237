#include "psp/platform/files.hpp"

#include <utility>

#include "psp/platform/psp_api.hpp"

namespace pspllm::psp {
namespace {

constexpr std::int32_t code_not_there = static_cast<std::int32_t>(0x80010002);
constexpr std::int32_t code_already_there = static_cast<std::int32_t>(0x80010011);
constexpr std::int32_t code_not_taken = -1;
constexpr std::int32_t code_write_protected = static_cast<std::int32_t>(0x8001001E);

Status refuse_long_path(const Path& path) {
  if (!path.truncated()) return {};
  Status status = failure_sentence(error_path_too_long, "This path is longer than ");
  status.sentence.append_unsigned(max_path_bytes).append(" bytes: ").append(path.view());
  return status;
}

std::int32_t flags_of(OpenMode mode) {
  switch (mode) {
    case OpenMode::read:
      return api::open_read_only;
    case OpenMode::write:
      return api::open_write_only | api::open_create | api::open_truncate;
    case OpenMode::append:
      return api::open_write_only | api::open_create | api::open_append;
  }
  return api::open_read_only;
}

bool is_directory(const api::IoStat& stat) {
  return (stat.mode & api::mode_type_mask) == api::mode_directory ||
         (stat.attributes & api::attribute_directory) != 0;
}

FileInfo info_from(const api::IoStat& stat) {
  return {true, is_directory(stat), static_cast<std::uint64_t>(stat.size)};
}

bool is_dot_entry(std::string_view name) {
  return name == "." || name == "..";
}

}  // namespace

File::File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)), path_(other.path_) {}

File& File::operator=(File&& other) noexcept {
  if (this == &other) return *this;
  if (is_open()) sceIoClose(descriptor_);
  descriptor_ = std::exchange(other.descriptor_, -1);
  path_ = other.path_;
  return *this;
}

File::~File() {
  if (is_open()) sceIoClose(descriptor_);
}

Status File::open(const Path& path, OpenMode mode) {
  if (is_open()) sceIoClose(descriptor_);
  descriptor_ = -1;
  path_ = path;
  Status status = refuse_long_path(path);
  if (!status.ok()) return status;
  descriptor_ = sceIoOpen(path.c_str(), flags_of(mode), api::open_permissions);
  if (is_open()) return {};
  return failure(mode == OpenMode::read ? "Cannot open" : "Cannot write", path.view(), descriptor_);
}

ReadResult File::read(std::span<std::byte> into) {
  ReadResult result;
  if (!is_open()) {
    result.status = failure_sentence(error_not_open, "A file that is not open was to be read.");
    return result;
  }
  while (result.bytes < into.size()) {
    const std::int32_t got = sceIoRead(descriptor_, into.data() + result.bytes,
                                       static_cast<std::uint32_t>(into.size() - result.bytes));
    if (got < 0) {
      result.status = failure("Cannot read", path_.view(), got);
      return result;
    }
    if (got == 0) return result;
    result.bytes += static_cast<std::size_t>(got);
  }
  return result;
}

Status File::read_exactly(std::span<std::byte> into) {
  ReadResult result = read(into);
  if (!result.status.ok() || result.bytes == into.size()) return result.status;
  Status status = failure_sentence(error_short_read, path_.view());
  status.sentence.append(" ended early: ").append_unsigned(result.bytes).append(" bytes came where ");
  status.sentence.append_unsigned(into.size()).append(" were due. Copy the file to the Memory Stick again.");
  return status;
}

Status File::write(std::span<const std::byte> from) {
  if (!is_open()) return failure_sentence(error_not_open, "A file that is not open was to be written.");
  while (!from.empty()) {
    const std::int32_t put = sceIoWrite(descriptor_, from.data(), static_cast<std::uint32_t>(from.size()));
    // No byte taken and no error would loop for ever.
    if (put <= 0) return failure("Cannot write", path_.view(), put == 0 ? code_not_taken : put);
    from = from.subspan(static_cast<std::size_t>(put));
  }
  return {};
}

Status File::write(std::string_view text) {
  return write(std::as_bytes(std::span(text.data(), text.size())));
}

Status File::seek(std::uint64_t offset) {
  const std::int64_t position =
      sceIoLseek(descriptor_, static_cast<std::int64_t>(offset), api::seek_from_start);
  if (position == static_cast<std::int64_t>(offset)) return {};
  return failure("Cannot move in", path_.view(), static_cast<std::int32_t>(position));
}

Status File::close() {
  if (!is_open()) return {};
  const std::int32_t code = sceIoClose(std::exchange(descriptor_, -1));
  return code < 0 ? failure("Cannot close", path_.view(), code) : Status{};
}

Status get_file_info(const Path& path, FileInfo& info) {
  info = {};
  Status status = refuse_long_path(path);
  if (!status.ok()) return status;
  api::IoStat stat{};
  const std::int32_t code = sceIoGetstat(path.c_str(), &stat);
  if (code == code_not_there) return {};
  if (code < 0) return failure("Cannot look at", path.view(), code);
  info = info_from(stat);
  return {};
}

Status read_whole_file(const Path& path, std::span<std::byte> into, std::size_t& size) {
  size = 0;
  FileInfo info;
  Status status = get_file_info(path, info);
  if (status.ok() && !info.exists) status = failure("Cannot open", path.view(), code_not_there);
  if (!status.ok()) return status;
  if (info.size > into.size()) {
    status = failure_sentence(error_too_large, path.view());
    status.sentence.append(" has ").append_unsigned(info.size).append(" bytes; at most ");
    status.sentence.append_unsigned(into.size()).append(" are allowed.");
    return status;
  }
  File file;
  status = file.open(path, OpenMode::read);
  if (status.ok()) status = file.read_exactly(into.first(static_cast<std::size_t>(info.size)));
  if (status.ok()) size = static_cast<std::size_t>(info.size);
  return status;
}

Status remove_file(const Path& path) {
  Status status = refuse_long_path(path);
  if (!status.ok()) return status;
  const std::int32_t code = sceIoRemove(path.c_str());
  FileInfo info;
  status = get_file_info(path, info);
  if (!status.ok() || !info.exists) return status;
  return failure("Cannot remove", path.view(), code < 0 ? code : code_write_protected);
}

Status rename_file(const Path& from, const Path& to) {
  Status status = refuse_long_path(from);
  if (status.ok()) status = refuse_long_path(to);
  if (!status.ok()) return status;
  const std::int32_t code = sceIoRename(from.c_str(), to.c_str());
  FileInfo info;
  status = get_file_info(to, info);
  if (!status.ok() || (code >= 0 && info.exists)) return status;
  return failure("Cannot rename", from.view(), code < 0 ? code : code_write_protected);
}

Status make_folder(const Path& path) {
  Status status = refuse_long_path(path);
  if (!status.ok()) return status;
  const std::int32_t code = sceIoMkdir(path.c_str(), api::open_permissions);
  FileInfo info;
  status = get_file_info(path, info);
  if (!status.ok() || info.is_directory) return status;
  if (info.exists) return failure("Cannot make the folder", path.view(), code_already_there);
  return failure("Cannot make the folder", path.view(), code < 0 ? code : code_write_protected);
}

Directory::~Directory() {
  if (descriptor_ >= 0) sceIoDclose(descriptor_);
}

Status Directory::open(const Path& path) {
  if (descriptor_ >= 0) sceIoDclose(descriptor_);
  descriptor_ = -1;
  path_ = path;
  Status status = refuse_long_path(path);
  if (!status.ok()) return status;
  descriptor_ = sceIoDopen(path.c_str());
  return descriptor_ >= 0 ? Status{} : failure("Cannot open the folder", path.view(), descriptor_);
}

Status Directory::next(DirectoryEntry& entry, bool& found) {
  found = false;
  if (descriptor_ < 0) return failure_sentence(error_not_open, "A folder that is not open was to be read.");
  for (;;) {
    api::IoDirectoryEntry raw{};
    const std::int32_t code = sceIoDread(descriptor_, &raw);
    if (code < 0) return failure("Cannot read the folder", path_.view(), code);
    if (code == 0) return {};
    raw.name[sizeof(raw.name) - 1] = '\0';
    const std::string_view name(static_cast<const char*>(raw.name));
    if (is_dot_entry(name)) continue;
    entry.name.clear();
    entry.name.append(name);
    entry.info = info_from(raw.stat);
    found = true;
    return {};
  }
}

Status get_free_stick_bytes(std::uint64_t& bytes) {
  bytes = 0;
  api::StickCapacity capacity{};
  api::StickCapacity* answer = &capacity;
  const std::int32_t code = sceIoDevctl("ms0:", api::devctl_stick_capacity, static_cast<void*>(&answer),
                                        sizeof(answer), nullptr, 0);
  if (code < 0) return failure("Cannot ask for the free space of", "the Memory Stick", code);
  bytes = std::uint64_t{capacity.free_clusters} * capacity.sectors_per_cluster * capacity.sector_bytes;
  return {};
}

Status set_current_folder(const Path& folder) {
  Status status = refuse_long_path(folder);
  if (!status.ok()) return status;
  const std::int32_t code = sceIoChdir(folder.c_str());
  return code < 0 ? failure("Cannot enter the folder", folder.view(), code) : Status{};
}

}  // namespace pspllm::psp
