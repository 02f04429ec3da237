// Output files that are either whole or not there: written under a temporary name in the same folder, renamed
// when all of it is on disk. A full disk or a crash leaves what was there before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pspllm::host {

/// One output file in the making. Without commit() nothing is left behind. Devices and pipes (/dev/stdout)
/// are written straight to. All members throw Failure with a sentence that names the path.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  /// Bytes that are written already, once more; not for devices and pipes.
  void overwrite(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Makes the file appear under its own name.
  void commit();

 private:
  [[noreturn]] void fail(const std::string& what, int error_number) const;

  std::string path_;            // as the user named it, for messages
  std::string target_;          // with symbolic links followed
  std::string temporary_path_;  // empty for devices and pipes
  int descriptor_ = -1;
};

/// Writes `text` as a whole file.
void write_file(const std::string& path, std::string_view text);

}  // namespace pspllm::host
