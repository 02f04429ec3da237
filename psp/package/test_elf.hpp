// Small ELF files made by hand, for tests.
#pragma once

#include <string>
#include <vector>

#include "psp/package/elf32.hpp"

namespace pspllm::package::test {

struct TestSection {
  std::string name;
  std::uint32_t type = section_progbits;
  std::uint32_t flags = section_flag_alloc;
  std::uint32_t address = 0;
  Bytes bytes;
  std::uint32_t link = 0;
  std::uint32_t info = 0;
};

/// Section numbers of `sections` start at 1; the builder puts the empty section first and the names last.
[[nodiscard]] Bytes build_elf(const std::vector<TestSection>& sections,
                              std::uint16_t type = elf_type_executable,
                              std::uint16_t machine = elf_machine_mips);

[[nodiscard]] Bytes words(const std::vector<std::uint32_t>& values);

struct TestSymbol {
  std::string name;
  std::uint16_t section = 1;
};
/// The bytes of a symbol table (entry 0 is added) and of its string table.
struct SymbolTables {
  Bytes symbols;
  Bytes names;
};
[[nodiscard]] SymbolTables build_symbols(const std::vector<TestSymbol>& symbols);

[[nodiscard]] Bytes build_relocations(const std::vector<ElfRelocation>& relocations);

/// A program at address 0 whose code and data need every kind of relocation; `base` is where it is linked, as
/// a static linker would do it. The relocations are in an order that only the symbol-wise pairing of HI16
/// understands.
[[nodiscard]] Bytes build_program(std::uint32_t base);

}  // namespace pspllm::package::test
