#include "psp/package/test_elf.hpp"

#include "psp/package/prx.hpp"

namespace pspllm::package::test {

Bytes words(const std::vector<std::uint32_t>& values) {
  Bytes bytes;
  for (const std::uint32_t value : values) append_u32(bytes, value);
  return bytes;
}

Bytes build_elf(const std::vector<TestSection>& sections, std::uint16_t type, std::uint16_t machine) {
  Bytes names(1);
  Bytes contents;
  Bytes headers(section_header_bytes);
  const auto add_header = [&](const TestSection& section, std::uint32_t size) {
    const auto name = static_cast<std::uint32_t>(names.size());
    package::append_text(names, section.name);
    append_u8(names, 0);
    const auto offset = static_cast<std::uint32_t>(elf_header_bytes + contents.size());
    for (const std::uint32_t field : {name, section.type, section.flags, section.address, offset, size,
                                      section.link, section.info, 4U, 0U}) {
      append_u32(headers, field);
    }
  };
  for (const TestSection& section : sections) {
    add_header(section, static_cast<std::uint32_t>(section.bytes.size()));
    if (section.type != section_nobits) append_bytes(contents, section.bytes);
  }
  const std::string names_section = ".shstrtab";
  add_header({names_section, section_strings, 0, 0, {}, 0, 0},
             static_cast<std::uint32_t>(names.size() + names_section.size() + 1));
  append_bytes(contents, names);
  const auto section_count = static_cast<std::uint16_t>(sections.size() + 2);

  Bytes out = {0x7F, 'E', 'L', 'F', 1, 1, 1};
  out.resize(16);
  append_u16(out, type);
  append_u16(out, machine);
  for (const std::uint32_t field :
       {1U, 0U, 0U, static_cast<std::uint32_t>(elf_header_bytes + contents.size()), 0U}) {
    append_u32(out, field);
  }
  for (const std::uint32_t field : {elf_header_bytes, program_header_bytes, 0U, section_header_bytes,
                                    std::uint32_t{section_count}, section_count - 1U}) {
    append_u16(out, static_cast<std::uint16_t>(field));
  }
  append_bytes(out, contents);
  append_bytes(out, headers);
  return out;
}

SymbolTables build_symbols(const std::vector<TestSymbol>& symbols) {
  SymbolTables tables{Bytes(16), Bytes(1)};
  for (const TestSymbol& symbol : symbols) {
    append_u32(tables.symbols, static_cast<std::uint32_t>(tables.names.size()));
    for (int field = 0; field < 2; ++field) append_u32(tables.symbols, 0);
    append_u16(tables.symbols, 0);
    append_u16(tables.symbols, symbol.section);
    package::append_text(tables.names, symbol.name);
    append_u8(tables.names, 0);
  }
  return tables;
}

Bytes build_relocations(const std::vector<ElfRelocation>& relocations) {
  Bytes bytes;
  for (const ElfRelocation& relocation : relocations) {
    append_u32(bytes, relocation.offset);
    append_u32(bytes, relocation.symbol << 8U | static_cast<std::uint32_t>(relocation.type));
  }
  return bytes;
}

Bytes build_program(std::uint32_t base) {
  constexpr std::uint32_t data_address = 0x7FF0;  // low half + base may carry into the high half
  constexpr std::uint32_t far_address = 0x18000;
  constexpr std::uint32_t info_address = 0x100;
  const std::uint32_t data = data_address + base;
  const std::uint32_t far = far_address + base;
  const auto high = [](std::uint32_t address) { return (address + 0x8000U) >> 16U; };
  const auto low = [](std::uint32_t address) { return address & 0xFFFFU; };

  const Bytes code = words({
      0x3C040000 | high(data),    // lui $4, %hi(data)
      0x3C050000 | high(far),     // lui $5, %hi(far)
      0x24840000 | low(data),     // addiu $4, $4, %lo(data)
      0x24A50000 | low(far),      // addiu $5, $5, %lo(far)
      0x8C860000 | low(data),     // lw $6, %lo(data)($4): a LO16 without a HI16 of its own
      0x0C000000 | (base >> 2U),  // jal start
      0x24020000,                 // addiu $2, $0, absolute
      0x03E00008,                 // jr $ra
      0x00000000,
  });
  Bytes info = words(std::vector<std::uint32_t>(module_info_bytes / 4));
  write_u32(info, 32, data);
  const SymbolTables symbols = build_symbols(
      {{"data", 3}, {"far", 4}, {"start", 1}, {"absolute", symbol_absolute}, {"weak", symbol_undefined}});
  using enum RelocationType;
  return build_elf({
      {".text", section_progbits, section_flag_alloc | section_flag_execute, base, code, 0, 0},
      {std::string(module_info_section), section_progbits, section_flag_alloc, info_address + base, info, 0,
       0},
      {".data", section_progbits, section_flag_alloc | section_flag_write, data, words({far, 0}), 0, 0},
      {".far", section_progbits, section_flag_alloc | section_flag_write, far, words({1, 2, 3, 4}), 0, 0},
      {".bss", section_nobits, section_flag_alloc | section_flag_write, far + 16, Bytes(64), 0, 0},
      {".symtab", section_symbols, 0, 0, symbols.symbols, 7, 0},
      {".strtab", section_strings, 0, 0, symbols.names, 0, 0},
      {".rel.text", section_relocations, 0, 0,
       build_relocations({{0, high_16, 1},
                          {4, high_16, 2},
                          {8, low_16, 1},
                          {12, low_16, 2},
                          {16, low_16, 1},
                          {20, jump_26, 3},
                          {24, low_16, 4},
                          {28, jalr_hint, 3}}),
       6, 1},
      {".rel.info", section_relocations, 0, 0, build_relocations({{info_address + 32, word_32, 1}}), 6, 2},
      {".rel.data", section_relocations, 0, 0,
       build_relocations({{data_address, word_32, 2}, {data_address + 4, word_32, 5}}), 6, 3},
  });
}

}  // namespace pspllm::package::test
