// What the reports in HTML share.
#pragma once

#include <string>
#include <string_view>

namespace pspllm::host {

/// `text` as it may stand in an element or in a quoted attribute of HTML or SVG.
[[nodiscard]] inline std::string html_escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace pspllm::host
