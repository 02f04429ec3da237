// The Memory Stick as the program sees it: an interface, so that tests can put in a stick that is full,
// protected, slow, or pulled out at any point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "psp/platform/atomic_save.hpp"
#include "psp/platform/files.hpp"

namespace pspllm::psp {

/// A file that is read piece by piece.
class FileReader {
 public:
  virtual Status open(const Path& path) = 0;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// Fills the whole span or fails.
  virtual Status read_at(std::uint64_t offset, std::span<std::byte> into) = 0;
  virtual void close() = 0;

 protected:
  ~FileReader() = default;
};

/// A file that grows while others may look at it.
class FileWriter {
 public:
  /// Creates or empties the file.
  virtual Status open(const Path& path) = 0;
  virtual Status write(std::string_view text) = 0;
  virtual Status close() = 0;

 protected:
  ~FileWriter() = default;
};

/// Told of each entry of a folder.
struct FolderVisitor {
  void* context = nullptr;
  void (*visit)(void* context, const DirectoryEntry& entry) = nullptr;
};

class Stick : public FileStore {
 public:
  virtual Status read_whole(const Path& path, std::span<std::byte> into, std::size_t& size) = 0;
  /// A folder that is not there is no failure: nothing is visited.
  virtual Status list_folder(const Path& path, const FolderVisitor& visitor) = 0;
  virtual Status make_folder(const Path& path) = 0;

  [[nodiscard]] virtual FileReader& model_file() = 0;
  [[nodiscard]] virtual FileReader& tokenizer_file() = 0;
  [[nodiscard]] virtual FileReader& draft_file() = 0;
  [[nodiscard]] virtual FileWriter& output_file() = 0;

  /// Between these two, leaving the program waits.
  virtual void begin_save() = 0;
  virtual void end_save() = 0;

 protected:
  ~Stick() = default;
};

/// Holds leaving back for its lifetime.
class SaveScope {
 public:
  explicit SaveScope(Stick& stick) : stick_(stick) { stick_.begin_save(); }
  ~SaveScope() { stick_.end_save(); }
  SaveScope(const SaveScope&) = delete;
  SaveScope& operator=(const SaveScope&) = delete;

 private:
  Stick& stick_;
};

}  // namespace pspllm::psp
