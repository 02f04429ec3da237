#include "psp/package/prx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace pspllm::package {
namespace {

constexpr std::uint32_t image_file_offset = align_up(elf_header_bytes + program_header_bytes, 16);
constexpr std::uint32_t allegrex_elf_flags = 0x10A23001;  // MIPS II, EABI32, machine Allegrex
constexpr std::uint32_t segment_flags_all = 7;            // readable, writable, executable
constexpr std::uint32_t segment_alignment = 64;
constexpr std::uint16_t module_attribute_kernel = 0x1000;
constexpr std::uint32_t image_alignment = 16;

/// Sizes of the program in memory, from address 0.
struct ImageLayout {
  std::uint32_t file_bytes = 0;    ///< Up to the last byte that is not zero-filled.
  std::uint32_t memory_bytes = 0;  ///< With the zero-filled rest.
};

struct RelocationSection {
  std::string name;
  std::size_t target = 0;  ///< Index of the section it changes, among all of the ELF's.
  std::vector<ElfRelocation> relocations;
};

ImageLayout layout_of(const ElfFile& elf) {
  ImageLayout layout;
  for (const ElfSection& section : elf.sections) {
    if (!section.is_loaded()) continue;
    const std::uint32_t end = section.address + section.size;
    layout.memory_bytes = std::max(layout.memory_bytes, end);
    if (section.type != section_nobits) layout.file_bytes = std::max(layout.file_bytes, end);
  }
  layout.file_bytes = align_up(layout.file_bytes, image_alignment);
  layout.memory_bytes = align_up(std::max(layout.memory_bytes, layout.file_bytes), image_alignment);
  return layout;
}

std::string name_of(RelocationType type) {
  return fmt::format("{}", static_cast<std::uint32_t>(type));
}

Result<std::vector<RelocationSection>> collect_relocations(const ElfFile& elf, std::uint32_t file_bytes) {
  std::vector<RelocationSection> all;
  for (const ElfSection& section : elf.sections) {
    if (section.type != section_relocations || section.info >= elf.sections.size()) continue;
    if (!elf.sections[section.info].is_loaded()) continue;
    if (section.link >= elf.sections.size())
      return Failure{"This ELF file is damaged: a relocation section refers to no symbol table."};
    const auto symbols = read_symbols(elf, elf.sections[section.link]);
    if (!symbols.ok()) return symbols.failure();
    auto ordered = order_relocations(read_relocations(elf, section), symbols.value());
    if (!ordered.ok()) return Failure{fmt::format("{}: {}", section.name, ordered.error())};
    for (const ElfRelocation& relocation : ordered.value()) {
      if (relocation.offset % 4 != 0 || relocation.offset >= file_bytes) {
        return Failure{
            fmt::format("{}: a relocation at {:#x} lies outside the program ({:#x} bytes) or between words.",
                        section.name, relocation.offset, file_bytes)};
      }
    }
    if (!ordered.value().empty()) all.push_back({section.name, section.info, std::move(ordered.value())});
  }
  return all;
}

/// Section headers of the PRX and the string table of their names.
class SectionTable {
 public:
  SectionTable() : headers_(section_header_bytes), names_(1) {}

  void add(std::string_view name, std::uint32_t type, std::uint32_t flags, std::uint32_t address,
           std::uint32_t offset, std::uint32_t size, std::uint32_t info, std::uint32_t alignment,
           std::uint32_t entry_bytes) {
    const std::uint32_t name_offset = static_cast<std::uint32_t>(names_.size());
    package::append_text(names_, name);
    append_u8(names_, 0);
    constexpr std::uint32_t no_link = 0;
    for (const std::uint32_t field :
         {name_offset, type, flags, address, offset, size, no_link, info, alignment, entry_bytes}) {
      append_u32(headers_, field);
    }
  }
  /// The last section: the names themselves.
  void add_names(std::uint32_t offset) {
    constexpr std::string_view name = ".shstrtab";
    const std::size_t bytes = names_.size() + name.size() + 1;
    add(name, section_strings, 0, 0, offset, static_cast<std::uint32_t>(bytes), 0, 1, 0);
  }
  [[nodiscard]] const Bytes& headers() const { return headers_; }
  [[nodiscard]] const Bytes& names() const { return names_; }
  [[nodiscard]] std::uint32_t count() const {
    return static_cast<std::uint32_t>(headers_.size() / section_header_bytes);
  }

 private:
  Bytes headers_;
  Bytes names_;
};

Bytes encode_relocations(const std::vector<RelocationSection>& sections) {
  Bytes bytes;
  for (const RelocationSection& section : sections) {
    for (const ElfRelocation& relocation : section.relocations) {
      append_u32(bytes, relocation.offset);
      append_u32(bytes, static_cast<std::uint32_t>(relocation.type));
    }
  }
  return bytes;
}

SectionTable build_sections(const ElfFile& elf, const ImageLayout& layout,
                            const std::vector<RelocationSection>& relocation_sections,
                            std::uint32_t relocation_bytes) {
  SectionTable table;
  std::map<std::size_t, std::uint32_t> new_index;
  for (std::size_t i = 0; i < elf.sections.size(); ++i) {
    const ElfSection& section = elf.sections[i];
    if (!section.is_loaded()) continue;
    const bool zero_filled = section.type == section_nobits;
    new_index[i] = table.count();
    // The linker's own types (.init_array and so on) mean nothing to the console.
    table.add(section.name, zero_filled ? section_nobits : section_progbits, section.flags & 7U,
              section.address, image_file_offset + (zero_filled ? layout.file_bytes : section.address),
              section.size, 0, section.alignment, 0);
  }
  const std::uint32_t section_count =
      table.count() + static_cast<std::uint32_t>(relocation_sections.size()) + 1;  // + the names
  const std::uint32_t relocations_offset =
      image_file_offset + layout.file_bytes + section_count * section_header_bytes;
  std::uint32_t offset = relocations_offset;
  for (const RelocationSection& section : relocation_sections) {
    const std::uint32_t bytes = static_cast<std::uint32_t>(section.relocations.size() * 8);
    table.add(section.name, section_prx_relocations, 0, 0, offset, bytes, new_index[section.target], 4, 8);
    offset += bytes;
  }
  table.add_names(relocations_offset + relocation_bytes);
  return table;
}

void append_elf_header(Bytes& out, std::uint32_t entry, std::uint32_t section_offset,
                       std::uint32_t section_count) {
  append_bytes(out, std::array<std::uint8_t, 16>{0x7F, 'E', 'L', 'F', 1, 1, 1});
  append_u16(out, elf_type_prx);
  append_u16(out, elf_machine_mips);
  for (const std::uint32_t field : {1U, entry, elf_header_bytes, section_offset, allegrex_elf_flags})
    append_u32(out, field);
  for (const std::uint32_t field :
       {elf_header_bytes, program_header_bytes, 1U, section_header_bytes, section_count, section_count - 1}) {
    append_u16(out, static_cast<std::uint16_t>(field));
  }
}

void append_program_header(Bytes& out, const ImageLayout& layout, std::uint32_t module_info_reference) {
  constexpr std::uint32_t type_load = 1;
  for (const std::uint32_t field :
       {type_load, image_file_offset, 0U, module_info_reference, layout.file_bytes, layout.memory_bytes,
        segment_flags_all, segment_alignment}) {
    append_u32(out, field);
  }
}

/// Empty when `elf` is what make_prx() takes.
std::string complaint_about(const ElfFile& elf) {
  if (elf.type != elf_type_executable) {
    return fmt::format("expected an executable (type {}), found type {:#x}", elf_type_executable, elf.type);
  }
  const ElfSection* info = elf.find_section(module_info_section);
  if (info == nullptr || info->size < module_info_bytes || info->type == section_nobits) {
    return fmt::format("it has no module information (section {}, {} bytes)", module_info_section,
                       module_info_bytes);
  }
  std::uint32_t lowest = 0xFFFFFFFF;
  for (const ElfSection& section : elf.sections) {
    if (section.is_loaded()) lowest = std::min(lowest, section.address);
  }
  if (lowest != 0) return fmt::format("it must be linked at address 0, and begins at {:#x}", lowest);
  if (std::none_of(elf.sections.begin(), elf.sections.end(),
                   [](const ElfSection& section) { return section.type == section_relocations; })) {
    return "it holds no relocations: link it with -q";
  }
  return {};
}

}  // namespace

Result<Bytes> loaded_image(const ElfFile& elf, std::uint32_t base) {
  constexpr std::uint64_t largest_program = 64U << 20U;
  Bytes image;
  for (const ElfSection& section : elf.sections) {
    if (!section.is_loaded()) continue;
    const std::uint64_t end = std::uint64_t{section.address} - base + section.size;
    if (section.address < base || end > largest_program) {
      return Failure{fmt::format("Section {} at {:#x} lies outside the program that begins at {:#x}.",
                                 section.name, section.address, base)};
    }
    if (section.type == section_nobits) continue;
    image.resize(std::max(image.size(), static_cast<std::size_t>(end)));
    const ByteView bytes = elf.section_bytes(section);
    std::copy(bytes.begin(), bytes.end(), image.begin() + (section.address - base));
  }
  pad_to(image, image_alignment);
  return image;
}

Result<std::vector<ElfRelocation>> order_relocations(const std::vector<ElfRelocation>& relocations,
                                                     const std::vector<ElfSymbol>& symbols) {
  std::vector<ElfRelocation> ordered;
  std::map<std::uint32_t, std::vector<ElfRelocation>> waiting;  // HI16 by symbol, until its LO16 comes
  for (const ElfRelocation& relocation : relocations) {
    using enum RelocationType;
    if (relocation.symbol >= symbols.size()) {
      return Failure{fmt::format("A relocation at {:#x} refers to symbol {} of {}.", relocation.offset,
                                 relocation.symbol, symbols.size())};
    }
    switch (relocation.type) {
      case none:
      case gp_relative_16:
      case pc_relative_16:
      case jalr_hint:
        continue;
      case word_32:
      case jump_26:
      case high_16:
      case low_16:
        break;
      default:
        return Failure{
            fmt::format("The relocation of type {} at {:#x} (symbol \"{}\") is not supported by the console; "
                        "supported: 2, 4, 5, 6.",
                        name_of(relocation.type), relocation.offset, symbols[relocation.symbol].name)};
    }
    const std::uint16_t section = symbols[relocation.symbol].section;
    if (section == symbol_undefined || section == symbol_absolute) continue;
    if (relocation.type == high_16) {
      waiting[relocation.symbol].push_back(relocation);
      continue;
    }
    if (relocation.type == low_16) {
      const auto partners = waiting.extract(relocation.symbol);
      if (!partners.empty())
        ordered.insert(ordered.end(), partners.mapped().begin(), partners.mapped().end());
    }
    ordered.push_back(relocation);
  }
  if (!waiting.empty()) {
    const ElfRelocation& lost = waiting.begin()->second.front();
    return Failure{fmt::format("The HI16 relocation at {:#x} (symbol \"{}\") has no LO16 after it.",
                               lost.offset, symbols[lost.symbol].name)};
  }
  return ordered;
}

Result<Bytes> make_prx(const ElfFile& elf) {
  const std::string complaint = complaint_about(elf);
  if (!complaint.empty()) return Failure{fmt::format("This ELF file cannot become a PRX: {}.", complaint)};
  const auto image = loaded_image(elf, 0);
  if (!image.ok()) return image.failure();
  const ImageLayout layout = layout_of(elf);
  const auto relocation_sections = collect_relocations(elf, layout.file_bytes);
  if (!relocation_sections.ok()) return relocation_sections.failure();

  const Bytes relocations = encode_relocations(relocation_sections.value());
  const SectionTable sections = build_sections(elf, layout, relocation_sections.value(),
                                               static_cast<std::uint32_t>(relocations.size()));
  const std::uint32_t module_info = elf.find_section(module_info_section)->address;
  const bool is_kernel_module = (read_u16(image.value(), module_info) & module_attribute_kernel) != 0;

  Bytes out;
  append_elf_header(out, elf.entry, image_file_offset + layout.file_bytes, sections.count());
  append_program_header(out, layout,
                        (image_file_offset + module_info) | (is_kernel_module ? 0x80000000U : 0U));
  pad_to(out, 16);
  append_bytes(out, image.value());
  append_bytes(out, sections.headers());
  append_bytes(out, relocations);
  append_bytes(out, sections.names());
  return out;
}

}  // namespace pspllm::package
