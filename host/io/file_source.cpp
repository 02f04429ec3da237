#include "host/io/file_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "host/core/failure.hpp"
#include "host/io/system_error.hpp"

namespace pspllm::host {

FileSource::FileSource(const std::string& path, const std::string& purpose) : path_(path) {
  // Non-blocking: opening a pipe must not wait for its writer before it is refused.
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) {
    throw Failure(fmt::format("cannot open the {} file {}: {}", purpose, path, system_error(errno)));
  }
  struct stat info {};
  const int stat_result = ::fstat(descriptor_, &info);
  const int stat_error = errno;
  const auto refuse = [&](const std::string& sentence) {
    ::close(descriptor_);
    throw Failure(sentence);
  };
  if (stat_result != 0) {
    refuse(fmt::format("cannot examine the {} file {}: {}", purpose, path, system_error(stat_error)));
  }
  if (S_ISDIR(info.st_mode)) {
    refuse(fmt::format("{} is a folder, expected a {} file; name the file inside it", path, purpose));
  }
  if (!S_ISREG(info.st_mode)) {
    refuse(fmt::format("{} is a device or a pipe, expected a {} file on disk", path, purpose));
  }
  if (info.st_size == 0) {
    refuse(fmt::format("the {} file {} is empty; copy or download it again", purpose, path));
  }
  size_ = static_cast<std::uint64_t>(info.st_size);
}

FileSource::~FileSource() {
  ::close(descriptor_);
}

ByteSource FileSource::source() const noexcept {
  // The context is only ever read through, see read().
  return {const_cast<FileSource*>(this), read, size_};
}

Status FileSource::read(void* context, std::uint64_t offset, std::span<std::byte> into) noexcept {
  const auto& file = *static_cast<const FileSource*>(context);
  while (!into.empty()) {
    const ssize_t count = ::pread(file.descriptor_, into.data(), into.size(), static_cast<off_t>(offset));
    if (count < 0) {
      if (errno == EINTR) continue;
      return read_failed("reading ", into.size(), " bytes at ", offset,
                         " failed: ", system_error(errno).c_str());
    }
    if (count == 0) {
      return read_failed("the file ends at byte ", offset, " although it had ", file.size_,
                         " bytes when it was opened; it is being changed");
    }
    offset += static_cast<std::uint64_t>(count);
    into = into.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace pspllm::host
