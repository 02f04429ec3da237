// A file on disk as the engine's ByteSource: positioned reads, 64-bit sizes, errors that name the path.
#pragma once

#include <cstdint>
#include <string>

#include "engine/core/byte_source.hpp"

namespace pspllm::host {

/// An open regular file, closed with the object. Its source() points at the object, so it stays where it is.
class FileSource {
 public:
  /// Throws Failure with a sentence that names `path` and says what `purpose` ("model", "tokenizer") needs:
  /// missing, unreadable, a folder, a device, empty.
  FileSource(const std::string& path, const std::string& purpose);
  ~FileSource();
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  [[nodiscard]] ByteSource source() const noexcept;
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  static Status read(void* context, std::uint64_t offset, std::span<std::byte> into) noexcept;

  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace pspllm::host
