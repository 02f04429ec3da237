#include "host/io/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "host/core/failure.hpp"
#include "host/io/system_error.hpp"

namespace pspllm::host {
namespace {

/// Where a chain of symbolic links ends, so that the link survives and its target is replaced.
std::string follow_links(const std::string& path) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  return error ? path : target.string();
}

mode_t mode_for_new_files() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return static_cast<mode_t>(0666) & ~mask;
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path), target_(follow_links(path)) {
  struct stat info {};
  const bool exists = ::stat(target_.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) {
    throw Failure(fmt::format("cannot write {}: it is a folder, give the name of a file", path_));
  }
  if (exists && !S_ISREG(info.st_mode)) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail("cannot open", errno);
    return;
  }
  if (exists && ::access(target_.c_str(), W_OK) != 0) fail("cannot overwrite", errno);
  std::string name = target_ + ".part-XXXXXX";
  descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail("cannot create", errno);
  temporary_path_ = name;
  ::fchmod(descriptor_, exists ? info.st_mode & 07777U : mode_for_new_files());
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_path_.empty()) ::unlink(temporary_path_.c_str());
}

void AtomicFile::fail(const std::string& what, int error_number) const {
  throw Failure(fmt::format("{} {}: {}; {}", what, path_, system_error(error_number),
                            error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG
                                ? "make room and try again, what was there before is unchanged"
                                : "choose another place for the output"));
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0) {
      if (errno == EINTR) continue;
      fail("cannot write", errno);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void AtomicFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text)));
}

void AtomicFile::overwrite(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0) {
      if (errno == EINTR) continue;
      fail("cannot go back in", errno);
    }
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void AtomicFile::commit() {
  if (!temporary_path_.empty() && ::fsync(descriptor_) != 0) fail("cannot write", errno);
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0) fail("cannot write", errno);
  if (temporary_path_.empty()) return;
  if (std::rename(temporary_path_.c_str(), target_.c_str()) != 0) fail("cannot write", errno);
  temporary_path_.clear();
}

void write_file(const std::string& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace pspllm::host
