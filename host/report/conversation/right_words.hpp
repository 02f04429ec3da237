// Whether an answer holds a word that a right one would.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pspllm::host {

/// Whether one of the words stands in the text. Letters A to Z count as a to z. A word counts where no letter
/// a to z and no digit stands before it: "dog" in "two dogs", not in "bulldog"; one that ends in a digit only
/// where no digit follows: "5" not in "52". Words are not empty.
[[nodiscard]] bool holds_a_word(std::string_view text, std::span<const std::string> words);

}  // namespace pspllm::host
