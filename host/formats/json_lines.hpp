// JSONL files that nobody vouches for: a JSON object a line.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace pspllm::host {

/// One line's object, and how to name the line to people: "prompts.jsonl, line 3".
struct JsonLine {
  std::string name;
  nlohmann::json object;
};

/// The objects of `text`, which came from `text_name`; empty lines are left out. Throws Failure with the line
/// where one is no JSON or no object, or nested beyond what parse_limited_json() takes.
[[nodiscard]] std::vector<JsonLine> parse_json_lines(std::string_view text, const std::string& text_name);

/// The text under `key`. Throws Failure where there is none.
[[nodiscard]] std::string require_text(const JsonLine& line, const char* key);

}  // namespace pspllm::host
