#include "host/report/conversation/right_words.hpp"

#include <algorithm>

#include "host/report/conversation/lower_case.hpp"

namespace pspllm::host {
namespace {

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

bool is_word_character(char c) noexcept {
  return (c >= 'a' && c <= 'z') || is_digit(c);
}

/// Both in lower case.
bool holds(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_word_character(text[at - 1]);
    const bool ends = !is_digit(word.back()) || end == text.size() || !is_digit(text[end]);
    if (begins && ends) return true;
  }
  return false;
}

}  // namespace

bool holds_a_word(std::string_view text, std::span<const std::string> words) {
  const std::string lowered = lower_case(text);
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return holds(lowered, lower_case(word)); });
}

}  // namespace pspllm::host
