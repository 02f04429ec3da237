#include "simulator/loader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "simulator/elf.hpp"

namespace pspllm::simulator {

namespace {

constexpr Word segment_load = 1;
constexpr Word section_relocations = 0x700000A0;
constexpr Word section_packed_relocations = 0x700000A1;
constexpr Word relocation_bytes = 8;
constexpr Word module_info_bytes = 52;
constexpr Word stub_entry_bytes = 20;
constexpr std::size_t most_imports = 4096;
constexpr Word magic_psp_encrypted = 0x5053507E;  // "~PSP"
constexpr Word jump_to_ra = 0x03E00008;
constexpr Word system_call = 0x0000000C;

// Types of relocation that the console's loader knows.
constexpr Word relocation_none = 0;
constexpr Word relocation_32 = 2;
constexpr Word relocation_26 = 4;
constexpr Word relocation_hi16 = 5;
constexpr Word relocation_lo16 = 6;
constexpr Word relocation_gprel16 = 7;

struct Loading {
  std::span<const Byte> file;
  const ElfFile& elf;
  Memory& memory;
  Module module;
  std::vector<Address> segment_addresses;  // in memory, of every program header

  [[nodiscard]] Byte* word(Address address) {
    const std::span<Byte> bytes = memory.range(address, 4);
    return bytes.data();
  }
};

// The lowest and highest address of the loadable segments.
struct Extent {
  DoubleWord begin = ~DoubleWord{0};
  DoubleWord end = 0;
};

Extent extent_of(const ElfFile& elf) {
  Extent extent;
  for (const ElfSegment& segment : elf.segments) {
    if (segment.type != segment_load) continue;
    extent.begin = std::min<DoubleWord>(extent.begin, segment.address);
    extent.end = std::max<DoubleWord>(
        extent.end, DoubleWord{segment.address} + std::max(segment.memory_bytes, segment.file_bytes));
  }
  return extent;
}

std::optional<Error> place(Loading& loading, Partition& partition, Address load_address) {
  const Extent extent = extent_of(loading.elf);
  if (extent.end <= extent.begin) return Error{"ELF: nothing to load"};
  if (extent.end - extent.begin > 64U * mebibyte)
    return Error{fmt::format("ELF: {} bytes to load, more than any PSP has", extent.end - extent.begin)};
  const Word size = static_cast<Word>(extent.end - extent.begin);
  const bool relocatable = loading.elf.type == elf_prx;
  std::optional<Address> at;
  if (!relocatable)
    at = partition.allocate_at(static_cast<Address>(extent.begin), size, "program");
  else if (load_address != 0)
    at = partition.allocate_at(load_address, size, "program");
  else
    at = partition.allocate_low(size, "program");
  if (!at)
    return Error{fmt::format("the program needs {} bytes{}; the largest free block has {}", size,
                             relocatable ? std::string() : fmt::format(" at {:08x}", extent.begin),
                             partition.largest_free())};
  Module& module = loading.module;
  module.base = relocatable ? *at - static_cast<Address>(extent.begin) : 0;
  module.begin = module.base + static_cast<Address>(extent.begin);
  module.size = size;
  for (const ElfSegment& segment : loading.elf.segments) {
    loading.segment_addresses.push_back(module.base + segment.address);
    if (segment.type != segment_load || segment.file_bytes == 0) continue;
    const auto bytes = slice(loading.file, segment.offset, segment.file_bytes);
    const std::span<Byte> to = loading.memory.range(module.base + segment.address, segment.file_bytes);
    if (to.size() != bytes.size()) return Error{"ELF: a segment does not fit into partition 2"};
    std::copy(bytes.begin(), bytes.end(), to.begin());
  }
  loading.memory.set_defined(module.begin, size, true);
  return std::nullopt;
}

// A HI16 relocation that waits for its low half.
struct HighHalf {
  Byte* bytes;
  Word base;
};

// The console's loader gives a HI16 the low half of the next LO16, whatever its symbol.
void resolve_high_halves(const std::vector<HighHalf>& highs, Word low) {
  for (const HighHalf& high : highs) {
    const Word instruction = load_as<Word>(high.bytes);
    const Word whole = (instruction << 16U) + low + high.base;
    store_as(high.bytes, (instruction & 0xFFFF0000U) | ((whole + 0x8000U) >> 16U));
  }
}

std::optional<Error> relocate_section(Loading& loading, const ElfSection& section) {
  const std::span<const Byte> entries = slice(loading.file, section.offset, section.size);
  std::vector<HighHalf> highs;
  for (std::size_t i = 0; i + relocation_bytes <= entries.size(); i += relocation_bytes) {
    const Word offset = load_as<Word>(entries.data() + i);
    const Word info = load_as<Word>(entries.data() + i + 4);
    const Word type = info & 0xFFU;
    const Word place_segment = (info >> 8U) & 0xFFU;
    const Word target_segment = (info >> 16U) & 0xFFU;
    if (place_segment >= loading.segment_addresses.size() ||
        target_segment >= loading.segment_addresses.size())
      return Error{fmt::format("PRX: relocation {} names segment {} or {}, of {}", i / relocation_bytes,
                               place_segment, target_segment, loading.segment_addresses.size())};
    const Address at = loading.segment_addresses[place_segment] + offset;
    const Word base = loading.segment_addresses[target_segment];
    Byte* const bytes = loading.word(at);
    if (bytes == nullptr || at - loading.module.begin >= loading.module.size)
      return Error{
          fmt::format("PRX: relocation {} is for {:08x}, outside the module", i / relocation_bytes, at)};
    const Word word = load_as<Word>(bytes);
    switch (type) {
      case relocation_none:
      case relocation_gprel16:
        break;
      case relocation_32:
        store_as(bytes, word + base);
        break;
      case relocation_26:
        store_as(bytes, (word & 0xFC000000U) | (((word & 0x03FFFFFFU) + (base >> 2U)) & 0x03FFFFFFU));
        break;
      case relocation_hi16:
        highs.push_back({bytes, base});
        break;
      case relocation_lo16:
        resolve_high_halves(highs, sign_extend(word & 0xFFFFU, 16));
        highs.clear();
        store_as(bytes, (word & 0xFFFF0000U) | ((word + base) & 0xFFFFU));
        break;
      default:
        return Error{fmt::format("PRX: relocation {} has type {}, which the console's loader does not know",
                                 i / relocation_bytes, type)};
    }
  }
  if (!highs.empty()) return Error{"PRX: a HI16 relocation without a LO16 after it"};
  return std::nullopt;
}

std::optional<Error> relocate(Loading& loading) {
  if (loading.elf.type != elf_prx) return std::nullopt;
  for (const ElfSection& section : loading.elf.sections) {
    if (section.type == section_packed_relocations)
      return Error{"PRX: packed relocations (type 0x700000A1) are not supported; link with plain ones"};
    if (section.type != section_relocations) continue;
    if (std::optional<Error> error = relocate_section(loading, section)) return error;
  }
  return std::nullopt;
}

// Where the module information lies in memory; 0: there is none.
Address module_info_address(const Loading& loading) {
  if (const ElfSection* section = loading.elf.section(".rodata.sceModuleInfo"); section != nullptr)
    return loading.module.base + section->address;
  if (loading.elf.type != elf_prx || loading.elf.segments.empty()) return 0;
  const ElfSegment& first = loading.elf.segments[0];
  const Word offset = first.physical & 0x7FFFFFFFU;
  if (offset < first.offset || offset - first.offset >= first.file_bytes) return 0;
  return loading.module.base + first.address + (offset - first.offset);
}

std::optional<Error> read_imports(Loading& loading, Address top, Address end) {
  Memory& memory = loading.memory;
  Address at = top;
  while (at < end) {
    const std::span<Byte> entry = memory.range(at, stub_entry_bytes);
    if (entry.empty())
      return Error{fmt::format("module information: import table {:08x} is not in memory", at)};
    const Word words = entry[8];
    if (words < 5)
      return Error{
          fmt::format("module information: import entry at {:08x} has {} words, at least 5", at, words)};
    const Word count = load_as<Half>(entry.data() + 10);
    const Address nids = load_as<Word>(entry.data() + 12);
    const Address stubs = load_as<Word>(entry.data() + 16);
    std::string library;
    if (!memory.read_string(load_as<Word>(entry.data()), 64, library))
      return Error{
          fmt::format("module information: library name of the import entry at {:08x} is not in memory", at)};
    for (Word i = 0; i < count; ++i) {
      Byte* const nid = loading.word(nids + i * 4U);
      Byte* const stub = loading.word(stubs + i * 8U);
      Byte* const slot = loading.word(stubs + i * 8U + 4U);
      if (nid == nullptr || stub == nullptr || slot == nullptr ||
          loading.module.imports.size() >= most_imports)
        return Error{fmt::format("module information: imports of {} lie outside memory", library)};
      const Word number = static_cast<Word>(loading.module.imports.size());
      loading.module.imports.push_back({library, load_as<Word>(nid), stubs + i * 8U});
      store_as(stub, jump_to_ra);
      store_as(slot, system_call | number << 6U);
      loading.module.symbols.add(stubs + i * 8U, 8,
                                 fmt::format("{}_{:08X}", library, loading.module.imports.back().nid));
    }
    at += words * 4U;
  }
  return std::nullopt;
}

std::optional<Error> read_module_info(Loading& loading) {
  const Address address = module_info_address(loading);
  if (address == 0) {
    if (loading.elf.type == elf_prx) return Error{"PRX: no module information"};
    return std::nullopt;
  }
  const std::span<Byte> info = loading.memory.range(address, module_info_bytes);
  if (info.empty()) return Error{"PRX: the module information lies outside the module"};
  Module& module = loading.module;
  module.has_module_info = true;
  const auto* const name = reinterpret_cast<const char*>(info.data() + 4);
  module.name.assign(name, std::find(name, name + 28, '\0'));
  module.gp = load_as<Word>(info.data() + 32);
  if (load_as<Half>(info.data()) & 0x1000U)
    return Error{fmt::format("module {} is for kernel mode; only user modules run here", module.name)};
  return read_imports(loading, load_as<Word>(info.data() + 44), load_as<Word>(info.data() + 48));
}

}  // namespace

Result<SymbolTable> read_symbols(std::span<const Byte> file, Address base) {
  const Result<ElfFile> elf = parse_elf(file);
  if (!elf) return elf.error();
  SymbolTable table;
  for (const ElfSymbol& symbol : elf->symbols)
    if (symbol.is_function || symbol.size == 0) table.add(base + symbol.value, symbol.size, symbol.name);
  table.sort();
  return table;
}

Result<Module> load_module(std::span<const Byte> file, Memory& memory, Partition& partition,
                           Address load_address) {
  if (file.size() >= 4 && load_as<Word>(file.data()) == magic_psp_encrypted)
    return Error{"the program is an encrypted module (~PSP); only plain ELF and PRX files run here"};
  const Result<ElfFile> elf = parse_elf(file);
  if (!elf) return elf.error();
  if (elf->type != elf_prx && elf->type != elf_executable)
    return Error{
        fmt::format("ELF: type {:#x}, expected {:#x} (PSP module) or 2 (executable)", elf->type, elf_prx)};
  Loading loading{file, *elf, memory, {}, {}};
  if (std::optional<Error> error = place(loading, partition, load_address)) return *error;
  if (std::optional<Error> error = relocate(loading)) return *error;
  for (const ElfSymbol& symbol : elf->symbols)
    loading.module.symbols.add(loading.module.base + symbol.value, symbol.size, symbol.name);
  if (std::optional<Error> error = read_module_info(loading)) return *error;
  loading.module.symbols.sort();
  loading.module.entry = loading.module.base + elf->entry;
  if (loading.module.entry - loading.module.begin >= loading.module.size)
    return Error{fmt::format("ELF: entry {:08x} lies outside the program", loading.module.entry)};
  return std::move(loading.module);
}

}  // namespace pspllm::simulator
