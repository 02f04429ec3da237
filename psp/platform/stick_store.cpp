#include "psp/platform/stick_store.hpp"

namespace pspllm::psp {

Status StickStore::info(const Path& path, FileInfo& info) {
  return get_file_info(path, info);
}

Status StickStore::write(const Path& path, std::span<const std::string_view> pieces) {
  File file;
  Status status = file.open(path, OpenMode::write);
  for (const std::string_view piece : pieces) {
    if (!status.ok()) return status;
    status = file.write(piece);
  }
  return status.ok() ? file.close() : status;
}

Status StickStore::rename(const Path& from, const Path& to) {
  return rename_file(from, to);
}

Status StickStore::remove(const Path& path) {
  return remove_file(path);
}

}  // namespace pspllm::psp
