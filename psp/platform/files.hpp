// Files and folders on the Memory Stick. Every failure is a sentence that names the file and explains the
// code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "psp/platform/path.hpp"
#include "psp/platform/status.hpp"

namespace pspllm::psp {

enum class OpenMode {
  read,
  write,   ///< Creates the file, or empties it.
  append,  ///< Creates the file, or writes at its end.
};

/// How much a read brought. `bytes` < what was asked for, with `status.ok()`, means the end of the file.
struct ReadResult {
  std::size_t bytes = 0;
  Status status;
};

/// One open file; closes itself. Only one thread may use it. After a sleep of the console the system may have
/// closed it behind our back (power.hpp tells): reads then fail with a sentence, and the file must be opened
/// again.
class File {
 public:
  File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File();

  [[nodiscard]] Status open(const Path& path, OpenMode mode);
  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }

  /// Reads until `into` is full or the file ends. Large reads (64 KB and more, into a 64-byte aligned buffer)
  /// are the fast ones.
  [[nodiscard]] ReadResult read(std::span<std::byte> into);

  /// As read(), but an early end of the file is a failure (error_short_read) that gives both counts.
  [[nodiscard]] Status read_exactly(std::span<std::byte> into);

  /// Writes everything or fails; a full stick is reported in words.
  [[nodiscard]] Status write(std::span<const std::byte> from);
  [[nodiscard]] Status write(std::string_view text);

  /// Moves to `offset` bytes from the start.
  [[nodiscard]] Status seek(std::uint64_t offset);

  /// Closes and reports what the system says; the destructor closes silently.
  Status close();

 private:
  std::int32_t descriptor_ = -1;
  Path path_;
};

struct FileInfo {
  bool exists = false;
  bool is_directory = false;
  std::uint64_t size = 0;  ///< In bytes.
};

/// Whether the path exists, and its size. A file that is not there is not a failure: `exists` is false.
[[nodiscard]] Status get_file_info(const Path& path, FileInfo& info);

/// Reads the whole file into `into`; fails with error_too_large when it does not fit. `size` = its bytes.
[[nodiscard]] Status read_whole_file(const Path& path, std::span<std::byte> into, std::size_t& size);

/// Removes the file; one that is not there is no failure. What was really done is checked: a write-protected
/// stick answers "done" and keeps the file (measured in the emulator).
[[nodiscard]] Status remove_file(const Path& path);

/// Renames within one folder. The target must not exist.
[[nodiscard]] Status rename_file(const Path& from, const Path& to);

/// Creates the folder; one that is already there is no failure.
[[nodiscard]] Status make_folder(const Path& path);

/// One entry of a folder.
struct DirectoryEntry {
  TextBuffer<max_path_bytes> name;  ///< As the system gives it; 8.3 names may come back in upper case.
  FileInfo info;
};

/// Reads a folder's entries one by one, without "." and "..", in the order of the stick.
class Directory {
 public:
  Directory() = default;
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory();

  [[nodiscard]] Status open(const Path& path);
  /// The next entry; `found` is false after the last one.
  [[nodiscard]] Status next(DirectoryEntry& entry, bool& found);

 private:
  std::int32_t descriptor_ = -1;
  Path path_;
};

/// Free bytes on the Memory Stick.
[[nodiscard]] Status get_free_stick_bytes(std::uint64_t& bytes);

/// Makes relative paths of this thread start at `folder`; until then the system refuses them (8002032C).
[[nodiscard]] Status set_current_folder(const Path& folder);

}  // namespace pspllm::psp
