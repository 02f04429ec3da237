// Letters without regard to case, for comparing English words.
#pragma once

#include <string>
#include <string_view>

namespace pspllm::host {

/// A to Z become a to z; every other byte stays.
[[nodiscard]] inline std::string lower_case(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lowered;
}

}  // namespace pspllm::host
