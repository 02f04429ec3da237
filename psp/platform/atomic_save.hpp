// Saving a file so that pulling the stick, or the battery, at any moment neither leaves a broken file nor
// loses the older one. Pure logic over a small interface, so that a test can cut it short after every single
// step.
//
//   1. write NAME.new, check its size          (NAME is untouched; a leftover .new is never read)
//   2. rename NAME to NAME.old                 (FAT cannot replace a file in one step)
//   3. rename NAME.new to NAME
//   4. remove NAME.old
//
// recover_saved_file() finishes what was cut short: with NAME present, .new and .old are leftovers and go;
// without NAME, .old tells that step 1 was complete, so .new becomes NAME (or .old goes back where .new is
// not there).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "psp/platform/files.hpp"

namespace pspllm::psp {

/// The file operations that saving needs. Each behaves as the function of the same name in files.hpp.
class FileStore {
 public:
  virtual Status info(const Path& path, FileInfo& info) = 0;
  /// Creates or empties the file and writes all pieces one after the other.
  virtual Status write(const Path& path, std::span<const std::string_view> pieces) = 0;
  virtual Status rename(const Path& from, const Path& to) = 0;
  virtual Status remove(const Path& path) = 0;

 protected:
  ~FileStore() = default;
};

/// Suffixes of the temporary names.
constexpr std::string_view new_suffix = ".new";
constexpr std::string_view old_suffix = ".old";

/// Saves the concatenation of `pieces` under `path`. On failure the older file is still there under its own
/// name, or recover_saved_file() brings it back.
[[nodiscard]] Status save_atomically(FileStore& store, const Path& path,
                                     std::span<const std::string_view> pieces);

/// Call before reading a file that was saved so, and before saving it again (save_atomically does so itself).
[[nodiscard]] Status recover_saved_file(FileStore& store, const Path& path);

}  // namespace pspllm::psp
