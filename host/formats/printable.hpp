// Names out of untrusted files, made fit for a sentence.
#pragma once

#include <string>
#include <string_view>

namespace pspllm::host {

/// `name` with control and non-ASCII bytes as '?', cut after 64 bytes.
[[nodiscard]] inline std::string printable(std::string_view name) {
  constexpr std::size_t longest = 64;
  std::string text(name.substr(0, longest));
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return name.size() > longest ? text + "..." : text;
}

}  // namespace pspllm::host
