#include "psp/package/import_stubs.hpp"

#include <doctest/doctest.h>

#include <string_view>
#include <utility>

#include "psp/package/bytes.hpp"
#include "psp/package/nid.hpp"

using namespace pspllm::package;

TEST_CASE("Function numbers are the ones that programs for the console use") {
  const std::pair<std::string_view, std::uint32_t> known[] = {
      {"sceIoOpen", 0x109F50BC},
      {"sceIoRead", 0x6A638D83},
      {"sceKernelExitGame", 0x05572A5F},
      {"sceKernelCreateThread", 0x446D8DE6},
      {"sceDisplaySetFrameBuf", 0x289D82FE},
      {"sceKernelMaxFreeMemSize", 0xA291F107},
      {"sceUtilityOskInitStart", 0xF6269B82},
      {"sceKernelNotifyCallback", 0xC11BA8C4},
      {"sceCtrlReadLatch", 0x0B588501},
  };
  for (const auto& function : known) {
    CAPTURE(function.first);
    CHECK(function_nid(function.first) == function.second);
  }
}

TEST_CASE("A table of imports is read with comments, blanks and line ends of any kind") {
  const auto libraries = parse_imports("# comment\n\nA 0x40010000 f g # more\r\n\tB 0x40000000\th");
  REQUIRE_MESSAGE(libraries.ok(), libraries.error());
  REQUIRE(libraries.value().size() == 2);
  CHECK(libraries.value()[0].name == "A");
  CHECK(libraries.value()[0].flags == 0x40010000);
  CHECK(libraries.value()[0].functions == std::vector<std::string>{"f", "g"});
  CHECK(libraries.value()[1].functions == std::vector<std::string>{"h"});
}

TEST_CASE("A bad table is refused with its line") {
  CHECK(parse_imports("").error() == "Imports: the table names no library.");
  CHECK(parse_imports("A 0x1").error() ==
        "Imports, line 1: expected a library's name, its flags and at least one function.");
  CHECK(parse_imports("\nA 4001 f").error() ==
        "Imports, line 2: the flags \"4001\" are not a hexadecimal number such as 0x40010000.");
  CHECK(parse_imports("A 0x1G f").error() ==
        "Imports, line 1: the flags \"0x1G\" are not a hexadecimal number such as 0x40010000.");
  CHECK(parse_imports("A 0x1 f f").error() == "Imports, line 1: \"f\" is named twice.");
  CHECK(parse_imports("A 0x1 f\nB 0x1 f").error() == "Imports, line 2: \"f\" is named twice.");
  CHECK(parse_imports("A 0x1 f;g").error() == "Imports, line 1: \"f;g\" is not a name.");
}

TEST_CASE("The stubs hold an entry a library, a number and a stub a function") {
  const auto libraries = parse_imports("IoFileMgrForUser 0x40010000 sceIoOpen sceIoClose");
  REQUIRE(libraries.ok());
  const std::string source = assemble_stubs(libraries.value());
  for (const std::string_view part :
       {".asciz \"IoFileMgrForUser\"", ".word .Lname_IoFileMgrForUser, 0x40010000", ".byte 5, 0", ".short 2",
        ".word 0x109f50bc", ".word 0x810c4bc3", "sceIoOpen:\n    jr $ra\n    nop",
        "__lib_stub_top:", "__lib_stub_bottom:", "__lib_ent_top:", "__lib_ent_bottom:"}) {
    CAPTURE(part);
    CHECK(source.find(part) != std::string::npos);
  }
}

TEST_CASE("The program's own table is well formed") {
  const auto table = read_file("psp/platform/imports.txt");
  REQUIRE_MESSAGE(table.ok(), table.error());
  const auto libraries =
      parse_imports({reinterpret_cast<const char*>(table.value().data()), table.value().size()});
  REQUIRE_MESSAGE(libraries.ok(), libraries.error());
  CHECK(libraries.value().size() > 5);
}
