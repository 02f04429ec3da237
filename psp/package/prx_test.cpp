#include "psp/package/prx.hpp"

#include <doctest/doctest.h>

#include "psp/package/prx_loader.hpp"
#include "psp/package/test_elf.hpp"

using namespace pspllm::package;
using namespace pspllm::package::test;
using enum RelocationType;

namespace {

ElfFile parsed(Bytes bytes) {
  auto elf = parse_elf(std::move(bytes));
  REQUIRE_MESSAGE(elf.ok(), elf.error());
  return std::move(elf.value());
}

ElfFile prx_of_program() {
  auto prx = make_prx(parsed(build_program(0)));
  REQUIRE_MESSAGE(prx.ok(), prx.error());
  return parsed(prx.value());
}

/// Addresses at which a carry out of the low half appears for some of the program's addresses and not for
/// others.
constexpr std::uint32_t bases[] = {0x08800000, 0x08804000, 0x08807F00, 0x08808000, 0x0880BD40,
                                   0x0880FE80, 0x0891FFC0, 0x09123440, 0x09FF0010};

}  // namespace

TEST_CASE("A PRX loaded at many addresses equals a static link there") {
  const ElfFile prx = prx_of_program();
  for (const std::uint32_t base : bases) {
    CAPTURE(base);
    CHECK(compare_with_static_link(prx, parsed(build_program(base)), base) == "");
  }
}

TEST_CASE("A difference is told") {
  const std::string difference =
      compare_with_static_link(prx_of_program(), parsed(build_program(0x08804000)), 0x08804010);
  CHECK(difference.find("Section .text at 0x8804000 lies outside") == 0);
  Bytes other = build_program(0x08804000);
  other[elf_header_bytes + 28] ^= 1U;  // jr $ra
  CHECK(compare_with_static_link(prx_of_program(), parsed(other), 0x08804000) ==
        "At 0x08804000 the PRX differs from the static link in 1 words: 0x1c: 03e00008, not 03e00009;");
}

TEST_CASE("The PRX has the form that the console expects") {
  const ElfFile prx = prx_of_program();
  CHECK(prx.type == elf_type_prx);
  REQUIRE(prx.segments.size() == 1);
  const ElfSegment& segment = prx.segments[0];
  CHECK(segment.address == 0);
  CHECK(segment.offset == 96);
  CHECK(segment.physical_address == segment.offset + 0x100);  // the module information
  CHECK(segment.file_size == 0x18010);
  CHECK(segment.memory_size == 0x18050);
  CHECK(prx.find_section(".bss")->type == section_nobits);
  const ElfSection* relocations = prx.find_section(".rel.text");
  REQUIRE(relocations != nullptr);
  CHECK(relocations->type == section_prx_relocations);
  CHECK(prx.sections[relocations->info].name == ".text");
}

TEST_CASE(
    "Each HI16 comes right before its own LO16, all else keeps its order, what does not move is dropped") {
  const ElfFile prx = prx_of_program();
  const auto relocations = read_relocations(prx, *prx.find_section(".rel.text"));
  const std::vector<std::pair<std::uint32_t, RelocationType>> expected = {
      {0, high_16}, {8, low_16}, {4, high_16}, {12, low_16}, {16, low_16}, {20, jump_26}};
  REQUIRE(relocations.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(relocations[i].offset == expected[i].first);
    CHECK(relocations[i].type == expected[i].second);
    CHECK(relocations[i].symbol == 0);
  }
  CHECK(read_relocations(prx, *prx.find_section(".rel.data")).size() == 1);  // the weak symbol stays 0
}

TEST_CASE("Several HI16 share one LO16") {
  const std::vector<ElfSymbol> symbols(3, ElfSymbol{"s", 0, 1});
  const auto ordered = order_relocations(
      {{0, high_16, 1}, {4, high_16, 2}, {8, high_16, 1}, {12, low_16, 2}, {16, low_16, 1}}, symbols);
  REQUIRE(ordered.ok());
  std::vector<std::uint32_t> offsets;
  for (const ElfRelocation& relocation : ordered.value()) offsets.push_back(relocation.offset);
  CHECK(offsets == std::vector<std::uint32_t>{4, 12, 0, 8, 16});
}

TEST_CASE("What the console cannot relocate is refused in one sentence") {
  const std::vector<ElfSymbol> symbols(2, ElfSymbol{"table", 0, 1});
  CHECK(order_relocations({{0x40, static_cast<RelocationType>(9), 1}}, symbols).error() ==
        "The relocation of type 9 at 0x40 (symbol \"table\") is not supported by the console; supported: 2, "
        "4, 5, 6.");
  CHECK(order_relocations({{0x40, high_16, 1}}, symbols).error() ==
        "The HI16 relocation at 0x40 (symbol \"table\") has no LO16 after it.");
  CHECK(order_relocations({{0x40, word_32, 7}}, symbols).error() ==
        "A relocation at 0x40 refers to symbol 7 of 2.");
}

TEST_CASE("Bad input gives one sentence, never a crash") {
  CHECK(parse_elf({}).error() == "This is not a 32-bit little-endian ELF file (its first bytes are others).");
  CHECK(parse_elf({'P', 'K', 3, 4, 0, 0, 0, 0}).error() ==
        "This is not a 32-bit little-endian ELF file (its first bytes are others).");
  CHECK(parse_elf(build_elf({}, elf_type_executable, 62)).error() ==
        "This ELF file is for machine 62, not for MIPS (8).");
  CHECK(make_prx(parsed(build_elf({}, 1))).error() ==
        "This ELF file cannot become a PRX: expected an executable (type 2), found type 0x1.");
  CHECK(make_prx(parsed(build_elf({}))).error() ==
        "This ELF file cannot become a PRX: it has no module information (section .rodata.sceModuleInfo, 52 "
        "bytes).");
  CHECK(make_prx(parsed(build_program(0x08804000))).error() ==
        "This ELF file cannot become a PRX: it must be linked at address 0, and begins at 0x8804000.");
  CHECK(load_prx(parsed(build_program(0)), 0).error() ==
        "This is not a PRX: type 0x2 with 0 segments, expected type 0xffa0 with one.");
}

TEST_CASE("An ELF cut short anywhere is refused or still whole") {
  const Bytes whole = build_program(0);
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    const auto elf = parse_elf(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
    CAPTURE(size);
    CHECK_FALSE(elf.ok());
    CHECK_FALSE(elf.error().empty());
  }
}

TEST_CASE("Damaged bytes never crash the packager") {
  const Bytes whole = build_program(0);
  // Every byte of the headers, and of the tables at the end, set to what makes counts and offsets largest.
  for (std::size_t at = 7; at < whole.size(); at = at == elf_header_bytes ? whole.size() - 900 : at + 1) {
    for (const std::uint8_t value : {std::uint8_t{0xFF}, std::uint8_t{0x7F}}) {
      Bytes damaged = whole;
      damaged[at] = value;
      auto elf = parse_elf(std::move(damaged));
      if (!elf.ok()) continue;
      const auto prx = make_prx(elf.value());
      CHECK((prx.ok() || !prx.error().empty()));
    }
  }
}
