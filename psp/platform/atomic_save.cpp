#include "psp/platform/atomic_save.hpp"

namespace pspllm::psp {
namespace {

/// The names that belong to one saved file.
struct SaveNames {
  Path fresh;  ///< NAME.new
  Path older;  ///< NAME.old
};

SaveNames names_of(const Path& path) {
  SaveNames names{path, path};
  names.fresh.append(new_suffix);
  names.older.append(old_suffix);
  return names;
}

Status exists(FileStore& store, const Path& path, bool& answer) {
  FileInfo info;
  Status status = store.info(path, info);
  answer = info.exists;
  return status;
}

Status remove_if_there(FileStore& store, const Path& path) {
  bool is_there = false;
  Status status = exists(store, path, is_there);
  return status.ok() && is_there ? store.remove(path) : status;
}

/// A stick that is full may take the bytes and drop them when the file is closed: look at what is there.
Status check_size(FileStore& store, const Path& path, std::span<const std::string_view> pieces) {
  std::uint64_t expected = 0;
  for (const std::string_view piece : pieces) expected += piece.size();
  FileInfo info;
  Status status = store.info(path, info);
  if (!status.ok() || (info.exists && info.size == expected)) return status;
  status = failure_sentence(error_short_write, "Only ");
  status.sentence.append_unsigned(info.size).append(" of ").append_unsigned(expected).append(" bytes of ");
  status.sentence.append(file_name_of(path.view()))
      .append(" reached the Memory Stick: it is full or write-protected.");
  return status;
}

Status write_fresh(FileStore& store, const Path& fresh, std::span<const std::string_view> pieces) {
  Status status = store.write(fresh, pieces);
  if (status.ok()) status = check_size(store, fresh, pieces);
  if (status.ok()) return status;
  // The failure is what the person hears of; a leftover that cannot be removed either changes nothing.
  (void)remove_if_there(store, fresh);
  return status;
}

}  // namespace

Status save_atomically(FileStore& store, const Path& path, std::span<const std::string_view> pieces) {
  const SaveNames names = names_of(path);
  if (names.fresh.truncated() || names.older.truncated()) {
    return failure_sentence(error_path_too_long, "The path of the file to save is too long.");
  }
  Status status = recover_saved_file(store, path);
  if (status.ok()) status = write_fresh(store, names.fresh, pieces);
  if (!status.ok()) return status;

  bool replaces = false;
  status = exists(store, path, replaces);
  if (status.ok() && replaces) status = store.rename(path, names.older);
  if (!status.ok()) {
    (void)remove_if_there(store, names.fresh);
    return status;
  }
  status = store.rename(names.fresh, path);
  if (!status.ok()) {
    if (replaces) (void)store.rename(names.older, path);
    return status;
  }
  return replaces ? store.remove(names.older) : status;
}

Status recover_saved_file(FileStore& store, const Path& path) {
  const SaveNames names = names_of(path);
  bool is_there = false;
  bool older_is_there = false;
  bool fresh_is_there = false;
  Status status = exists(store, path, is_there);
  if (status.ok()) status = exists(store, names.older, older_is_there);
  if (status.ok()) status = exists(store, names.fresh, fresh_is_there);
  if (!status.ok()) return status;

  if (!is_there && older_is_there) {
    const bool finish = fresh_is_there;
    status = store.rename(finish ? names.fresh : names.older, path);
    if (!status.ok()) return status;
    (finish ? fresh_is_there : older_is_there) = false;
  }
  if (fresh_is_there) status = store.remove(names.fresh);
  if (status.ok() && older_is_there) status = store.remove(names.older);
  return status;
}

}  // namespace pspllm::psp
