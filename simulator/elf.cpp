#include "simulator/elf.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pspllm::simulator {

namespace {

constexpr std::size_t header_bytes = 52;
constexpr std::size_t segment_bytes = 32;
constexpr std::size_t section_bytes = 40;
constexpr std::size_t symbol_bytes = 16;
constexpr Word section_symbols = 2;
constexpr Word section_nobits = 8;
constexpr Word flag_executable = 4;
constexpr Half machine_mips = 8;
constexpr Word most_headers = 1024;

Word word_at(std::span<const Byte> bytes, std::size_t offset) {
  return load_as<Word>(bytes.data() + offset);
}
Half half_at(std::span<const Byte> bytes, std::size_t offset) {
  return load_as<Half>(bytes.data() + offset);
}

// The NUL-terminated string at `offset` of a string table.
std::string string_at(std::span<const Byte> table, Word offset) {
  if (offset >= table.size()) return {};
  const auto* const begin = table.data() + offset;
  const auto* const end = std::find(begin, table.data() + table.size(), Byte{0});
  return {reinterpret_cast<const char*>(begin), static_cast<std::size_t>(end - begin)};
}

ElfSegment read_segment(std::span<const Byte> at) {
  return {word_at(at, 0), word_at(at, 4), word_at(at, 8), word_at(at, 12), word_at(at, 16), word_at(at, 20)};
}

ElfSection read_section(std::span<const Byte> at) {
  ElfSection section;
  section.type = word_at(at, 4);
  section.flags = word_at(at, 8);
  section.address = word_at(at, 12);
  section.offset = word_at(at, 16);
  section.size = word_at(at, 20);
  section.link = word_at(at, 24);
  section.info = word_at(at, 28);
  return section;
}

void read_symbols(std::span<const Byte> file, ElfFile& elf, const ElfSection& table) {
  if (table.link >= elf.sections.size()) return;
  const std::span<const Byte> entries = slice(file, table.offset, table.size);
  const std::span<const Byte> names =
      slice(file, elf.sections[table.link].offset, elf.sections[table.link].size);
  for (std::size_t at = 0; at + symbol_bytes <= entries.size(); at += symbol_bytes) {
    const std::span<const Byte> entry = entries.subspan(at, symbol_bytes);
    const unsigned kind = entry[12] & 15U;
    const Half index = half_at(entry, 14);
    if (kind > 2 || index == 0 || index >= elf.sections.size()) continue;
    if (!(elf.sections[index].flags & flag_executable)) continue;
    ElfSymbol symbol{string_at(names, word_at(entry, 0)), word_at(entry, 4), word_at(entry, 8), kind == 2};
    if (!symbol.name.empty() && symbol.name[0] != '$') elf.symbols.push_back(std::move(symbol));
  }
}

}  // namespace

std::span<const Byte> slice(std::span<const Byte> file, DoubleWord offset, DoubleWord size) {
  if (offset > file.size() || size > file.size() - offset) return {};
  return file.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

const ElfSection* ElfFile::section(std::string_view name) const {
  const auto found =
      std::find_if(sections.begin(), sections.end(), [&](const ElfSection& s) { return s.name == name; });
  return found == sections.end() ? nullptr : &*found;
}

Result<ElfFile> parse_elf(std::span<const Byte> file) {
  if (file.size() < header_bytes)
    return Error{fmt::format("ELF: {} bytes, a header has {}", file.size(), header_bytes)};
  if (word_at(file, 0) != 0x464C457FU) return Error{"ELF: no ELF magic at the start"};
  if (file[4] != 1 || file[5] != 1) return Error{"ELF: not a 32-bit little-endian file"};
  if (half_at(file, 18) != machine_mips)
    return Error{fmt::format("ELF: machine {}, expected 8 (MIPS)", half_at(file, 18))};
  ElfFile elf;
  elf.type = half_at(file, 16);
  elf.entry = word_at(file, 24);
  const Word segment_count = half_at(file, 44);
  const Word section_count = half_at(file, 48);
  if (segment_count > most_headers || section_count > most_headers)
    return Error{fmt::format("ELF: {} segments and {} sections, at most {} are accepted", segment_count,
                             section_count, most_headers)};
  for (Word i = 0; i < segment_count; ++i) {
    const auto header =
        slice(file, DoubleWord{word_at(file, 28)} + DoubleWord{i} * half_at(file, 42), segment_bytes);
    if (header.empty()) return Error{fmt::format("ELF: program header {} lies outside the file", i)};
    elf.segments.push_back(read_segment(header));
    const ElfSegment& segment = elf.segments.back();
    if (segment.type == 1 && slice(file, segment.offset, segment.file_bytes).size() != segment.file_bytes)
      return Error{fmt::format("ELF: segment {} lies outside the file (offset {}, {} bytes, file {})", i,
                               segment.offset, segment.file_bytes, file.size())};
  }
  std::vector<Word> names;
  for (Word i = 0; i < section_count; ++i) {
    const auto header =
        slice(file, DoubleWord{word_at(file, 32)} + DoubleWord{i} * half_at(file, 46), section_bytes);
    if (header.empty()) return Error{fmt::format("ELF: section header {} lies outside the file", i)};
    elf.sections.push_back(read_section(header));
    names.push_back(word_at(header, 0));
    const ElfSection& section = elf.sections.back();
    if (section.type != section_nobits && slice(file, section.offset, section.size).size() != section.size)
      return Error{fmt::format("ELF: section {} lies outside the file", i)};
  }
  const Word name_table = half_at(file, 50);
  if (name_table < elf.sections.size()) {
    const auto table = slice(file, elf.sections[name_table].offset, elf.sections[name_table].size);
    for (std::size_t i = 0; i < names.size(); ++i) elf.sections[i].name = string_at(table, names[i]);
  }
  for (std::size_t i = 0; i < elf.sections.size(); ++i)
    if (elf.sections[i].type == section_symbols) read_symbols(file, elf, elf.sections[i]);
  return elf;
}

}  // namespace pspllm::simulator
