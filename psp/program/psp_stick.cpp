#include "psp/program/psp_stick.hpp"

#include <utility>

namespace pspllm::psp {

Status PspFileReader::open(const Path& path) {
  FileInfo info;
  if (Status status = get_file_info(path, info); !status.ok()) return status;
  size_ = info.size;
  position_ = 0;
  path_ = path;
  return file_.open(path, OpenMode::read);
}

Status PspFileReader::read_at(std::uint64_t offset, std::span<std::byte> into) {
  const Status status = read_once(offset, into);
  if (status.ok()) return status;
  close();
  if (!open(path_).ok()) return status;
  return read_once(offset, into);
}

void PspFileReader::close() {
  file_ = File();
}

Status PspFileReader::read_once(std::uint64_t offset, std::span<std::byte> into) {
  if (offset != position_) {
    if (Status status = file_.seek(offset); !status.ok()) return status;
    position_ = offset;
  }
  const Status status = file_.read_exactly(into);
  position_ += into.size();
  return status;
}

Status PspStick::list_folder(const Path& path, const FolderVisitor& visitor) {
  FileInfo folder;
  if (Status status = get_file_info(path, folder); !status.ok()) return status;
  if (!folder.exists) return {};
  Directory directory;
  if (Status status = directory.open(path); !status.ok()) return status;
  while (true) {
    DirectoryEntry entry;
    bool found = false;
    if (Status status = directory.next(entry, found); !status.ok() || !found) return status;
    visitor.visit(visitor.context, entry);
  }
}

void PspStick::begin_save() {
  guard_.emplace();
}

void PspStick::end_save() {
  guard_.reset();
}

}  // namespace pspllm::psp
