#include "psp/package/prx_loader.hpp"

#include <fmt/format.h>

#include "psp/package/prx.hpp"

namespace pspllm::package {
namespace {

/// The low half of `word` as the signed number that addiu, lw and so on add.
std::uint32_t signed_low_half(std::uint32_t word) {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int16_t>(word & 0xFFFFU)));
}

/// The word with its upper 16 bits kept and `half` below.
std::uint32_t with_low_half(std::uint32_t word, std::uint32_t half) {
  return (word & 0xFFFF0000U) | (half & 0xFFFFU);
}

/// The next LO16 after entry `i`, skipping further HI16, whatever its symbol: the console knows none.
const ElfRelocation* partner_of(const std::vector<ElfRelocation>& relocations, std::size_t i) {
  while (++i < relocations.size()) {
    if (relocations[i].type == RelocationType::low_16) return &relocations[i];
    if (relocations[i].type != RelocationType::high_16) return nullptr;
  }
  return nullptr;
}

/// Applies the entries of one table. `original` holds the words before any change. Empty when all went well.
std::string apply_relocations(const std::vector<ElfRelocation>& relocations, ByteView original, Bytes& image,
                              std::uint32_t base) {
  for (std::size_t i = 0; i < relocations.size(); ++i) {
    const ElfRelocation& relocation = relocations[i];
    if (!contains_range(original, relocation.offset, 4)) {
      return fmt::format("a relocation at {:#x} lies outside the image", relocation.offset);
    }
    std::uint32_t word = read_u32(original, relocation.offset);
    switch (relocation.type) {
      case RelocationType::word_32:
        word += base;
        break;
      case RelocationType::jump_26:
        word = (word & 0xFC000000U) | ((word + (base >> 2U)) & 0x03FFFFFFU);
        break;
      case RelocationType::low_16:
        word = with_low_half(word, word + base);
        break;
      case RelocationType::high_16: {
        const ElfRelocation* low = partner_of(relocations, i);
        if (low == nullptr || !contains_range(original, low->offset, 4)) {
          return fmt::format("the HI16 at {:#x} is not followed by a LO16", relocation.offset);
        }
        const std::uint32_t address = (word << 16U) + signed_low_half(read_u32(original, low->offset)) + base;
        word = with_low_half(word, (address + 0x8000U) >> 16U);
        break;
      }
      default:
        return fmt::format("a relocation at {:#x} has type {}", relocation.offset,
                           static_cast<std::uint32_t>(relocation.type));
    }
    write_u32(image, relocation.offset, word);
  }
  return {};
}

}  // namespace

Result<Bytes> load_prx(const ElfFile& prx, std::uint32_t base) {
  if (prx.type != elf_type_prx || prx.segments.size() != 1) {
    return Failure{
        fmt::format("This is not a PRX: type {:#x} with {} segments, expected type {:#x} with one.", prx.type,
                    prx.segments.size(), elf_type_prx)};
  }
  const ElfSegment& segment = prx.segments.front();
  const ByteView original = ByteView(prx.bytes).subspan(segment.offset, segment.file_size);
  Bytes image(original.begin(), original.end());
  for (const ElfSection& section : prx.sections) {
    if (section.type != section_prx_relocations) continue;
    const std::string error = apply_relocations(read_relocations(prx, section), original, image, base);
    if (!error.empty())
      return Failure{fmt::format("The PRX cannot be loaded: in {} {}.", section.name, error)};
  }
  return image;
}

std::string compare_with_static_link(const ElfFile& prx, const ElfFile& linked, std::uint32_t base) {
  const auto loaded = load_prx(prx, base);
  if (!loaded.ok()) return loaded.error();
  const auto expected = loaded_image(linked, base);
  if (!expected.ok()) return expected.error();
  if (loaded.value().size() != expected.value().size()) {
    return fmt::format("At {:#010x} the PRX has {} bytes and the static link {}.", base,
                       loaded.value().size(), expected.value().size());
  }
  std::string differences;
  std::size_t count = 0;
  for (std::size_t at = 0; at < loaded.value().size(); at += 4) {
    const std::uint32_t got = read_u32(loaded.value(), at);
    const std::uint32_t want = read_u32(expected.value(), at);
    if (got != want && ++count <= 4) differences += fmt::format(" {:#x}: {:08x}, not {:08x};", at, got, want);
  }
  if (count == 0) return {};
  return fmt::format("At {:#010x} the PRX differs from the static link in {} words:{}", base, count,
                     differences);
}

}  // namespace pspllm::package
