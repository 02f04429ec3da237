// How much of a text says again what it has said.
#pragma once

#include <cstdint>
#include <string_view>

namespace pspllm::host {

/// Words of a gram.
inline constexpr std::uint32_t gram_words = 4;

/// Grams of texts, and how many of them stood earlier in the same text.
struct GramCount {
  std::uint64_t total = 0;
  std::uint64_t repeated = 0;

  /// 0 where there is none.
  [[nodiscard]] double repeated_share() const noexcept {
    return total == 0 ? 0.0 : static_cast<double>(repeated) / static_cast<double>(total);
  }
};

/// Adds the grams of one text: gram_words neighbouring words. Words are what white space (of ASCII)
/// separates, A to Z as a to z.
void add_grams(std::string_view text, GramCount& count);

}  // namespace pspllm::host
