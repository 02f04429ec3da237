// JSON for other programs: indented, always valid UTF-8.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace pspllm::host {

/// The document with a line end. Bytes that are no UTF-8 (a path may hold any) become U+FFFD.
[[nodiscard]] inline std::string json_text(const nlohmann::json& document) {
  constexpr int indent = 2;
  return document.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace pspllm::host
