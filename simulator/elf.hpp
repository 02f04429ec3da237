#pragma once
// What a 32-bit little-endian MIPS ELF file says of itself. Untrusted input: every offset and size is
// checked.
#include <span>
#include <string>
#include <vector>

#include "simulator/result.hpp"
#include "simulator/words.hpp"

namespace pspllm::simulator {

constexpr Half elf_executable = 2;
constexpr Half elf_prx = 0xFFA0;  // a PSP module

struct ElfSegment {
  Word type = 0;
  Word offset = 0;
  Address address = 0;
  Word physical = 0;  // of a PSP module's first segment: the file offset of the module information
  Word file_bytes = 0;
  Word memory_bytes = 0;
};

struct ElfSection {
  std::string name;
  Word type = 0;
  Word flags = 0;
  Address address = 0;
  Word offset = 0;
  Word size = 0;
  Word link = 0;
  Word info = 0;
};

struct ElfSymbol {
  std::string name;
  Address value = 0;
  Word size = 0;
  bool is_function = false;
};

struct ElfFile {
  Half type = 0;
  Address entry = 0;
  std::vector<ElfSegment> segments;
  std::vector<ElfSection> sections;
  std::vector<ElfSymbol> symbols;  // functions and untyped labels of executable sections

  [[nodiscard]] const ElfSection* section(std::string_view name) const;
};

[[nodiscard]] Result<ElfFile> parse_elf(std::span<const Byte> file);

// The bytes [offset, offset + size) of the file; empty when they are not there.
[[nodiscard]] std::span<const Byte> slice(std::span<const Byte> file, DoubleWord offset, DoubleWord size);

}  // namespace pspllm::simulator
