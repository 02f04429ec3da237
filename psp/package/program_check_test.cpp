#include "psp/package/program_check.hpp"

#include <doctest/doctest.h>

#include "psp/package/test_elf.hpp"

using namespace pspllm::package;
using namespace pspllm::package::test;

namespace {

ElfFile program(const std::vector<std::uint32_t>& code, const std::vector<TestSymbol>& symbols) {
  const SymbolTables tables = build_symbols(symbols);
  auto elf = parse_elf(build_elf(
      {{".text", section_progbits, section_flag_alloc | section_flag_execute, 0x100, words(code), 0, 0},
       {".data", section_progbits, section_flag_alloc, 0x200, words({0xFFFFFFFF}), 0, 0},
       {".symtab", section_symbols, 0, 0, tables.symbols, 4, 0},
       {".strtab", section_strings, 0, 0, tables.names, 0, 0}}));
  REQUIRE_MESSAGE(elf.ok(), elf.error());
  return std::move(elf.value());
}

}  // namespace

TEST_CASE("A good program passes; data is not taken for code") {
  const auto report = check_program(program({0x27BDFFE0, 0x03E00008, 0}, {{"main"}, {"sceIoOpen"}}));
  REQUIRE(report.ok());
  CHECK(report.value().violation_count == 0);
  CHECK(report.value().instructions == 3);
  CHECK(report.value().symbols == 3);
}

TEST_CASE("Each broken rule is a sentence") {
  const auto report =
      check_program(program({0x70851002, 0x4602003C, 0x45010003, 0}, {{"malloc"}, {"_Znwj"}, {"__adddf3"}}));
  REQUIRE(report.ok());
  const std::string branch =
      "The branch at 0x108 (.text) comes right after its comparison, which the Allegrex does not wait for.";
  const std::vector<std::string> expected = {
      "The word 70851002 at 0x100 (.text) is no instruction of the Allegrex.", branch,
      "The program has the symbol \"malloc\".", "The program has the symbol \"_Znwj\".",
      "The program has the symbol \"__adddf3\"."};
  CHECK(report.value().violations == expected);
  const auto many = check_program(program(std::vector<std::uint32_t>(50, 0xFFFFFFFF), {{"main"}}));
  REQUIRE(many.ok());
  CHECK(many.value().violation_count == 50);
  CHECK(many.value().violations.size() == max_listed_violations);
}

TEST_CASE("What cannot be proved is refused") {
  CHECK(check_program(program({0}, {})).error() ==
        "This ELF file has no symbol table, so nothing can be proved about it.");
  auto empty = parse_elf(build_elf({}));
  REQUIRE(empty.ok());
  CHECK(check_program(empty.value()).error() == "This ELF file holds no code.");
}

TEST_CASE("Forbidden symbols are known by name") {
  for (const std::string_view name :
       {"malloc", "free", "_sbrk", "realloc", "_Znwj", "_ZnajSt11align_val_t", "_ZdlPv", "_ZdaPvj",
        "__muldf3", "__extendsfdf2", "__truncdfsf2", "__fixdfsi", "__ltdf2"}) {
    CAPTURE(name);
    CHECK(is_forbidden_symbol(name));
  }
  for (const std::string_view name :
       {"memcpy", "freeze", "__udivdi3", "__floatdisf", "__clzsi2", "sceIoRead", "",
        "_ZN6pspllm3psp4File4readESt4spanISt4byteLj4294967295EE", "__bss_end"}) {
    CAPTURE(name);
    CHECK_FALSE(is_forbidden_symbol(name));
  }
}
