// From the linker's ELF to a PRX: the relocatable module that the console loads.
//
//   ELF header (type 0xFFA0) | one program header | the image, linked at address 0 | section headers |
//   relocations | names
//
// Rules (tried in an emulator, and by comparing with static links at many addresses):
// * The program header's physical address is the file offset of the module information; bit 31 marks kernel
// modules.
// * Relocations keep the types 32, 26, HI16 and LO16; relative ones need nothing at load time and are
// dropped, and so
//   are those against undefined weak or absolute symbols, which do not move.
// * Linkers pair a HI16 with the next LO16 against the same symbol; the console's loader takes simply the
// next LO16.
//   So each HI16 is moved right before its partner; all else keeps the table's order.
#pragma once

#include "psp/package/elf32.hpp"

namespace pspllm::package {

/// Name and size of the section that holds the module information.
constexpr std::string_view module_info_section = ".rodata.sceModuleInfo";
constexpr std::uint32_t module_info_bytes = 52;

/// `elf` must be an executable linked at address 0 with its relocations kept (ld -q) and have a module
/// information.
[[nodiscard]] Result<Bytes> make_prx(const ElfFile& elf);

/// The relocations of one section as the console's loader wants them; `symbols` is the table they refer to.
[[nodiscard]] Result<std::vector<ElfRelocation>> order_relocations(
    const std::vector<ElfRelocation>& relocations, const std::vector<ElfSymbol>& symbols);

/// The bytes of all loaded sections from the lowest address on, without the zero-filled ones at the end.
/// `base` is the address of the first byte; all sections must lie at or above it.
[[nodiscard]] Result<Bytes> loaded_image(const ElfFile& elf, std::uint32_t base);

}  // namespace pspllm::package
