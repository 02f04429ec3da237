#include "host/formats/json_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/core/failure.hpp"
#include "host/formats/limited_json.hpp"

namespace pspllm::host {
namespace {

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

std::vector<JsonLine> parse_json_lines(std::string_view text, const std::string& text_name) {
  std::vector<JsonLine> lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    if (is_blank(line)) continue;
    JsonLine& parsed = lines.emplace_back();
    parsed.name = fmt::format("{}, line {}", text_name, number);
    parsed.object = parse_limited_json(line, parsed.name);
    if (!parsed.object.is_object()) {
      throw Failure(fmt::format("{} is JSON, but no object; expected one such as {{\"prompt\": \"...\"}}",
                                parsed.name));
    }
  }
  return lines;
}

std::string require_text(const JsonLine& line, const char* key) {
  const auto found = line.object.find(key);
  if (found == line.object.end() || !found->is_string()) {
    throw Failure(fmt::format("{} has no text \"{}\"; expected {{\"{}\": \"...\"}}", line.name, key, key));
  }
  return found->get<std::string>();
}

}  // namespace pspllm::host
