#include "psp/package/elf32.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace pspllm::package {
namespace {

constexpr std::array<std::uint8_t, 7> identification = {0x7F, 'E', 'L', 'F',
                                                        1,    1,   1};  // 32-bit, little-endian
constexpr std::uint32_t segment_type_load = 1;
constexpr std::uint32_t symbol_bytes = 16;
constexpr std::uint32_t relocation_bytes = 8;

/// The NUL-terminated string at `offset` of a string table; empty when it is outside or does not end.
std::string string_at(ByteView table, std::uint32_t offset) {
  if (offset >= table.size()) return {};
  const auto begin = table.begin() + offset;
  const auto end = std::find(begin, table.end(), 0);
  return end == table.end() ? std::string{} : std::string(begin, end);
}

ElfSection read_section_header(ByteView bytes, std::size_t at) {
  ElfSection section;
  section.type = read_u32(bytes, at + 4);
  section.flags = read_u32(bytes, at + 8);
  section.address = read_u32(bytes, at + 12);
  section.offset = read_u32(bytes, at + 16);
  section.size = read_u32(bytes, at + 20);
  section.link = read_u32(bytes, at + 24);
  section.info = read_u32(bytes, at + 28);
  section.alignment = read_u32(bytes, at + 32);
  return section;
}

std::string read_sections(ElfFile& elf) {
  const std::uint32_t table = read_u32(elf.bytes, 32);
  const std::uint32_t count = read_u16(elf.bytes, 48);
  const std::uint32_t names_index = read_u16(elf.bytes, 50);
  if (count != 0 && read_u16(elf.bytes, 46) != section_header_bytes)
    return "its section headers have an odd size";
  if (!contains_range(elf.bytes, table, std::uint64_t{count} * section_header_bytes)) {
    return fmt::format("its {} section headers at offset {} lie beyond its end ({} bytes)", count, table,
                       elf.bytes.size());
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    elf.sections.push_back(read_section_header(elf.bytes, table + i * section_header_bytes));
    const ElfSection& section = elf.sections.back();
    if (section.type != section_nobits && !contains_range(elf.bytes, section.offset, section.size)) {
      return fmt::format("section {} ({} bytes at offset {}) lies beyond its end ({} bytes)", i, section.size,
                         section.offset, elf.bytes.size());
    }
  }
  if (count == 0) return {};
  if (names_index >= count) return fmt::format("section {} of {} is to hold the names", names_index, count);
  const ByteView names = elf.section_bytes(elf.sections[names_index]);
  for (std::uint32_t i = 0; i < count; ++i) {
    elf.sections[i].name = string_at(names, read_u32(elf.bytes, table + i * section_header_bytes));
  }
  return {};
}

std::string read_segments(ElfFile& elf) {
  const std::uint32_t table = read_u32(elf.bytes, 28);
  const std::uint32_t count = read_u16(elf.bytes, 44);
  if (count != 0 && read_u16(elf.bytes, 42) != program_header_bytes)
    return "its program headers have an odd size";
  if (!contains_range(elf.bytes, table, std::uint64_t{count} * program_header_bytes)) {
    return fmt::format("its {} program headers at offset {} lie beyond its end ({} bytes)", count, table,
                       elf.bytes.size());
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t at = table + i * program_header_bytes;
    if (read_u32(elf.bytes, at) != segment_type_load) continue;
    ElfSegment segment;
    segment.offset = read_u32(elf.bytes, at + 4);
    segment.address = read_u32(elf.bytes, at + 8);
    segment.physical_address = read_u32(elf.bytes, at + 12);
    segment.file_size = read_u32(elf.bytes, at + 16);
    segment.memory_size = read_u32(elf.bytes, at + 20);
    if (!contains_range(elf.bytes, segment.offset, segment.file_size) ||
        segment.memory_size < segment.file_size) {
      return fmt::format("segment {} ({} bytes at offset {}) lies beyond its end ({} bytes)", i,
                         segment.file_size, segment.offset, elf.bytes.size());
    }
    elf.segments.push_back(segment);
  }
  return {};
}

}  // namespace

ByteView ElfFile::section_bytes(const ElfSection& section) const {
  if (section.type == section_nobits) return {};
  return ByteView(bytes).subspan(section.offset, section.size);
}

const ElfSection* ElfFile::find_section(std::string_view name) const {
  const auto found =
      std::find_if(sections.begin(), sections.end(), [&](const auto& s) { return s.name == name; });
  return found == sections.end() ? nullptr : &*found;
}

Result<ElfFile> parse_elf(Bytes bytes) {
  if (bytes.size() < identification.size() ||
      !std::equal(identification.begin(), identification.end(), bytes.begin())) {
    return Failure{"This is not a 32-bit little-endian ELF file (its first bytes are others)."};
  }
  if (bytes.size() < elf_header_bytes) {
    return Failure{fmt::format("This ELF file is cut short: {} bytes, and its header alone has {}.",
                               bytes.size(), elf_header_bytes)};
  }
  ElfFile elf;
  elf.bytes = std::move(bytes);
  elf.type = read_u16(elf.bytes, 16);
  elf.entry = read_u32(elf.bytes, 24);
  const std::uint16_t machine = read_u16(elf.bytes, 18);
  if (machine != elf_machine_mips) {
    return Failure{
        fmt::format("This ELF file is for machine {}, not for MIPS ({}).", machine, elf_machine_mips)};
  }
  std::string error = read_sections(elf);
  if (error.empty()) error = read_segments(elf);
  if (!error.empty()) return Failure{fmt::format("This ELF file is damaged or cut short: {}.", error)};
  return elf;
}

Result<std::vector<ElfSymbol>> read_symbols(const ElfFile& elf, const ElfSection& table) {
  if (table.type != section_symbols || table.link >= elf.sections.size()) {
    return Failure{"This ELF file is damaged: a relocation section refers to no symbol table."};
  }
  const ByteView bytes = elf.section_bytes(table);
  const ByteView names = elf.section_bytes(elf.sections[table.link]);
  std::vector<ElfSymbol> symbols;
  for (std::size_t at = 0; contains_range(bytes, at, symbol_bytes); at += symbol_bytes) {
    symbols.push_back(
        {string_at(names, read_u32(bytes, at)), read_u32(bytes, at + 4), read_u16(bytes, at + 14)});
  }
  return symbols;
}

std::vector<ElfRelocation> read_relocations(const ElfFile& elf, const ElfSection& table) {
  const ByteView bytes = elf.section_bytes(table);
  std::vector<ElfRelocation> relocations;
  for (std::size_t at = 0; contains_range(bytes, at, relocation_bytes); at += relocation_bytes) {
    const std::uint32_t info = read_u32(bytes, at + 4);
    relocations.push_back({read_u32(bytes, at), static_cast<RelocationType>(info & 0xFFU), info >> 8U});
  }
  return relocations;
}

}  // namespace pspllm::package
