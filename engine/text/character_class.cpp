#include "engine/text/character_class.hpp"

#include <cstddef>
#include <iterator>

namespace pspllm {
namespace {

/// Where the class changes: code point * 4 + class from there on, rising. The first entry is code point 0.
constexpr std::uint32_t class_changes[] = {
#include "engine/text/character_class_table.inc"
};

constexpr CharacterClass find_class(std::uint32_t code_point) noexcept {
  // The last entry that is not behind the code point.
  std::size_t low = 0;
  std::size_t high = std::size(class_changes);
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    if (class_changes[middle] >> 2 <= code_point) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return static_cast<CharacterClass>(class_changes[low] & 3U);
}

/// Most text is ASCII: its classes at once.
struct AsciiClasses {
  constexpr AsciiClasses() noexcept {
    for (std::uint32_t code_point = 0; code_point < 128; ++code_point)
      classes[code_point] = find_class(code_point);
  }
  CharacterClass classes[128] = {};
};
constexpr AsciiClasses ascii;

}  // namespace

CharacterClass class_of(std::uint32_t code_point) noexcept {
  return code_point < 128 ? ascii.classes[code_point] : find_class(code_point);
}

}  // namespace pspllm
