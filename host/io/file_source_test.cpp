#include "host/io/file_source.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>

#include "host/core/failure.hpp"
#include "tests/support/temporary_folder.hpp"

namespace pspllm::host {
namespace {

using pspllm::testing::TemporaryFolder;

/// The sentence with which a file is refused, "" where it opens.
std::string refusal(const std::string& path) {
  try {
    const FileSource file(path, "model");
    return {};
  } catch (const Failure& failure) {
    CHECK(failure.code() == ExitCode::failed);
    return failure.what();
  }
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// While one exists, the process has no right to read other users' files.
class Unprivileged {
 public:
  Unprivileged() : was_root_(::geteuid() == 0) {
    constexpr uid_t nobody = 65534;
    if (was_root_) CHECK(::seteuid(nobody) == 0);
  }
  ~Unprivileged() {
    if (was_root_) CHECK(::seteuid(0) == 0);
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;

 private:
  bool was_root_;
};

}  // namespace

TEST_CASE("any part of a file can be read") {
  const TemporaryFolder folder;
  const FileSource file(folder.write("file.bin", "0123456789"), "model");
  CHECK(file.size() == 10);
  const ByteSource source = file.source();
  std::array<char, 4> part{};
  REQUIRE(source.read(source.context, 6, std::as_writable_bytes(std::span(part))).ok());
  CHECK(std::string(part.data(), part.size()) == "6789");
  CHECK(source.read(source.context, 10, {}).ok());
}

TEST_CASE("a file that shrinks while it is read is an error that says so") {
  const TemporaryFolder folder;
  const std::string path = folder.write("file.bin", "0123456789");
  const FileSource file(path, "model");
  std::filesystem::resize_file(path, 5);
  const ByteSource source = file.source();
  std::array<std::byte, 10> bytes{};
  const Status status = source.read(source.context, 0, bytes);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().kind == ErrorKind::read_failed);
  CHECK(contains(std::string(status.error().message.view()), "ends at byte 5"));
}

TEST_CASE("what is no readable file of some length is refused by name") {
  const TemporaryFolder folder;
  const std::string empty = folder.write("empty.bin", "");
  const std::string pipe = folder.path("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(contains(refusal(folder.path("missing.bin")), "missing.bin"));
  CHECK(contains(refusal(empty), "is empty"));
  CHECK(contains(refusal(std::filesystem::path(empty).parent_path()), "is a folder"));
  CHECK(contains(refusal(pipe), "pipe"));
  CHECK(contains(refusal("/dev/null"), "device"));
}

TEST_CASE("an unreadable file is refused by name") {
  const TemporaryFolder folder;
  const std::string path = folder.write("secret.bin", "secret");
  REQUIRE(::chmod(path.c_str(), 0) == 0);
  const Unprivileged unprivileged;
  CHECK(contains(refusal(path), "secret.bin: Permission denied"));
}

}  // namespace pspllm::host
