#pragma once
// What is on the memory stick. The simulator touches no file itself: it asks a Storage, which a host makes of
// a folder (host_storage.hpp), a test or a web page of bytes in memory.
//
// Paths are relative to the stick's root, separated by '/', without a leading or trailing one:
// "PSP/GAME/X/model.bin"; the root is "". FAT does not tell upper from lower case; resolve() finds the name
// as it is stored.
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/words.hpp"

namespace pspllm::simulator {

struct FileStatus {
  bool is_directory = false;
  DoubleWord size = 0;
};

class Storage {
 public:
  virtual ~Storage() = default;

  [[nodiscard]] virtual std::optional<FileStatus> status(const std::string& path) = 0;
  // Names in a directory, sorted.
  [[nodiscard]] virtual std::vector<std::string> list(const std::string& path) = 0;
  // Bytes read; less than asked for only at the end of the file.
  [[nodiscard]] virtual std::size_t read(const std::string& path, DoubleWord offset, std::span<Byte> to) = 0;
  // Extends the file as needed. These and the rest: false when it could not be done.
  [[nodiscard]] virtual bool write(const std::string& path, DoubleWord offset,
                                   std::span<const Byte> from) = 0;
  [[nodiscard]] virtual bool create(const std::string& path) = 0;  // an empty file, replacing one
  [[nodiscard]] virtual bool remove(const std::string& path) = 0;
  [[nodiscard]] virtual bool rename(const std::string& from, const std::string& to) = 0;
  [[nodiscard]] virtual bool make_directory(const std::string& path) = 0;
  [[nodiscard]] virtual bool remove_directory(const std::string& path) = 0;  // only when empty

  // `path` with the case of the names that exist, or nothing.
  [[nodiscard]] std::optional<std::string> resolve(const std::string& path);
};

// A stick in memory.
class MemoryStorage : public Storage {
 public:
  std::optional<FileStatus> status(const std::string& path) override;
  std::vector<std::string> list(const std::string& path) override;
  std::size_t read(const std::string& path, DoubleWord offset, std::span<Byte> to) override;
  bool write(const std::string& path, DoubleWord offset, std::span<const Byte> from) override;
  bool create(const std::string& path) override;
  bool remove(const std::string& path) override;
  bool rename(const std::string& from, const std::string& to) override;
  bool make_directory(const std::string& path) override;
  bool remove_directory(const std::string& path) override;

  // Puts a file there, with the directories above it.
  void put(const std::string& path, std::span<const Byte> content);
  void put(const std::string& path, std::string_view content);
  [[nodiscard]] std::string text(const std::string& path) const;
  [[nodiscard]] std::vector<std::string> paths() const;  // of all files

 private:
  std::map<std::string, std::vector<Byte>> files_;
  std::set<std::string> directories_;
};

// Another storage whose content is never changed: changes stay in memory.
class OverlayStorage : public Storage {
 public:
  explicit OverlayStorage(Storage& base) : base_(base) {}

  std::optional<FileStatus> status(const std::string& path) override;
  std::vector<std::string> list(const std::string& path) override;
  std::size_t read(const std::string& path, DoubleWord offset, std::span<Byte> to) override;
  bool write(const std::string& path, DoubleWord offset, std::span<const Byte> from) override;
  bool create(const std::string& path) override;
  bool remove(const std::string& path) override;
  bool rename(const std::string& from, const std::string& to) override;
  bool make_directory(const std::string& path) override;
  bool remove_directory(const std::string& path) override;

  [[nodiscard]] MemoryStorage& changes() { return changes_; }
  // Paths that were removed from the other storage.
  [[nodiscard]] const std::set<std::string>& removed() const { return removed_; }

 private:
  [[nodiscard]] bool hidden(const std::string& path) const { return removed_.contains(path); }
  bool copy_up(const std::string& path);

  Storage& base_;
  MemoryStorage changes_;
  std::set<std::string> removed_;
};

// The directory part of a path; "" for a name in the root.
[[nodiscard]] std::string parent_of(const std::string& path);
[[nodiscard]] std::string last_name_of(const std::string& path);

}  // namespace pspllm::simulator
