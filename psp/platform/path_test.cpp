#include "psp/platform/path.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace pspllm::psp;

TEST_CASE("Parts of a path") {
  CHECK(folder_of("ms0:/PSP/GAME/X/EBOOT.PBP") == "ms0:/PSP/GAME/X");
  CHECK(folder_of("ms0:/x") == "ms0:");
  CHECK(folder_of("x") == "");
  CHECK(file_name_of("ms0:/PSP/model.bin") == "model.bin");
  CHECK(file_name_of("model.bin") == "model.bin");
  CHECK(file_name_of("ms0:/PSP/") == "");
  CHECK(extension_of("ms0:/a.b/model.tar.bin") == "bin");
  CHECK(extension_of("ms0:/a.b/README") == "");
  CHECK(extension_of("ms0:/.hidden") == "");
  CHECK(extension_of("x.") == "");
}

TEST_CASE("Joining never doubles the slash, and tells when it does not fit") {
  CHECK(join_path("ms0:/PSP", "a").view() == "ms0:/PSP/a");
  CHECK(join_path("ms0:/PSP/", "a").view() == "ms0:/PSP/a");
  CHECK(join_path("", "a").view() == "a");
  CHECK_FALSE(join_path("ms0:", std::string(max_path_bytes - 5, 'n')).truncated());
  CHECK(join_path("ms0:", std::string(max_path_bytes - 4, 'n')).truncated());
}

TEST_CASE("Names are equal whatever the stick did to their case") {
  CHECK(equal_ignoring_case("autorun.txt", "AUTORUN.TXT"));
  CHECK_FALSE(equal_ignoring_case("autorun.txt", "autorun.tx"));
  CHECK_FALSE(equal_ignoring_case("\xC3\xA9", "\xC3\x89"));
}
