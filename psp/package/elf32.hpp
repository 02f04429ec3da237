// Reading 32-bit little-endian MIPS ELF files: what the cross linker writes, and PRX files, which are ELF
// too. Layouts: System V ABI, MIPS processor supplement. Every offset and size is checked before it is used.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "psp/package/bytes.hpp"
#include "psp/package/result.hpp"

namespace pspllm::package {

constexpr std::uint16_t elf_type_executable = 2;
constexpr std::uint16_t elf_type_prx = 0xFFA0;
constexpr std::uint16_t elf_machine_mips = 8;

constexpr std::uint32_t section_progbits = 1;
constexpr std::uint32_t section_symbols = 2;
constexpr std::uint32_t section_strings = 3;
constexpr std::uint32_t section_nobits = 8;
constexpr std::uint32_t section_relocations = 9;
constexpr std::uint32_t section_prx_relocations = 0x700000A0;

constexpr std::uint32_t section_flag_write = 1;
constexpr std::uint32_t section_flag_alloc = 2;
constexpr std::uint32_t section_flag_execute = 4;

constexpr std::uint16_t symbol_undefined = 0;
constexpr std::uint16_t symbol_absolute = 0xFFF1;

constexpr std::uint32_t elf_header_bytes = 52;
constexpr std::uint32_t program_header_bytes = 32;
constexpr std::uint32_t section_header_bytes = 40;

/// MIPS relocation types.
enum class RelocationType : std::uint32_t {
  none = 0,
  word_32 = 2,
  jump_26 = 4,
  high_16 = 5,
  low_16 = 6,
  gp_relative_16 = 7,
  pc_relative_16 = 10,
  jalr_hint = 37,
};

struct ElfSection {
  std::string name;
  std::uint32_t type = 0;
  std::uint32_t flags = 0;
  std::uint32_t address = 0;
  std::uint32_t offset = 0;  ///< Of its bytes in the file.
  std::uint32_t size = 0;
  std::uint32_t link = 0;
  std::uint32_t info = 0;
  std::uint32_t alignment = 0;

  [[nodiscard]] bool is_loaded() const { return (flags & section_flag_alloc) != 0 && size != 0; }
};

struct ElfSymbol {
  std::string name;
  std::uint32_t value = 0;
  std::uint16_t section = 0;
};

struct ElfRelocation {
  std::uint32_t offset = 0;  ///< Address of the word to change.
  RelocationType type = RelocationType::none;
  std::uint32_t symbol = 0;  ///< Index into the symbol table.
};

struct ElfSegment {
  std::uint32_t offset = 0;
  std::uint32_t address = 0;
  std::uint32_t physical_address = 0;
  std::uint32_t file_size = 0;
  std::uint32_t memory_size = 0;
};

struct ElfFile {
  Bytes bytes;
  std::uint16_t type = 0;
  std::uint32_t entry = 0;
  std::vector<ElfSection> sections;
  std::vector<ElfSegment> segments;  ///< Those that are loaded (PT_LOAD).

  /// The section's bytes in the file; empty for sections without any.
  [[nodiscard]] ByteView section_bytes(const ElfSection& section) const;
  /// Null when there is none.
  [[nodiscard]] const ElfSection* find_section(std::string_view name) const;
};

/// Checks the headers and that every section and segment lies inside the file.
[[nodiscard]] Result<ElfFile> parse_elf(Bytes bytes);

/// All entries of a symbol table section, the empty first one included.
[[nodiscard]] Result<std::vector<ElfSymbol>> read_symbols(const ElfFile& elf, const ElfSection& table);

/// All entries of a relocation section in the order of the table.
[[nodiscard]] std::vector<ElfRelocation> read_relocations(const ElfFile& elf, const ElfSection& table);

}  // namespace pspllm::package
