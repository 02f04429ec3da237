#include "host/io/atomic_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "host/core/failure.hpp"
#include "tests/support/read_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace pspllm::host {
namespace {

using pspllm::testing::read_file;
using pspllm::testing::TemporaryFolder;

}  // namespace

TEST_CASE("a file appears when it is committed, not before") {
  const TemporaryFolder folder;
  const std::string path = folder.path("out.txt");
  AtomicFile file(path);
  file.write("new");
  CHECK_FALSE(std::filesystem::exists(path));
  file.commit();
  CHECK(read_file(path) == "new");
  CHECK(folder.count() == 1);
}

TEST_CASE("without commit the old file stays and nothing else is left") {
  const TemporaryFolder folder;
  const std::string path = folder.write("out.txt", "old");
  {
    AtomicFile file(path);
    file.write("half of the ne");
  }
  CHECK(read_file(path) == "old");
  CHECK(folder.count() == 1);
}

TEST_CASE("a replaced file keeps its mode, a new one gets the usual") {
  const TemporaryFolder folder;
  const std::string path = folder.write("out.txt", "old");
  REQUIRE(::chmod(path.c_str(), 0640) == 0);
  write_file(path, "new");
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0640);
  const std::string fresh = folder.path("fresh.txt");
  write_file(fresh, "new");
  REQUIRE(::stat(fresh.c_str(), &info) == 0);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  CHECK((info.st_mode & 07777) == (0666 & ~mask));
}

TEST_CASE("a symbolic link stays, its target is replaced") {
  const TemporaryFolder folder;
  const std::string target = folder.write("target.txt", "old");
  const std::string link = folder.path("link.txt");
  std::filesystem::create_symlink(target, link);
  write_file(link, "new");
  CHECK(std::filesystem::is_symlink(link));
  CHECK(read_file(target) == "new");
}

TEST_CASE("a full device, a folder and a missing folder are errors with the path") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH_AS(write_file("/dev/full", "text"), doctest::Contains("/dev/full"), Failure);
  CHECK_THROWS_WITH_AS(write_file(folder.path("."), "text"), doctest::Contains("is a folder"), Failure);
  CHECK_THROWS_WITH_AS(write_file(folder.path("no/such/out.txt"), "text"),
                       doctest::Contains("no/such/out.txt"), Failure);
}

}  // namespace pspllm::host
