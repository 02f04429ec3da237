#include "host/formats/limited_json.hpp"

#include <fmt/format.h>

#include "host/core/failure.hpp"

namespace pspllm::host {

nlohmann::json parse_limited_json(std::string_view text, const std::string& name) {
  const auto check_depth = [&name](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    if (depth > max_json_depth) {
      throw Failure(fmt::format("{}: nested deeper than {} levels; this is no such file, or it is damaged",
                                name, max_json_depth));
    }
    return true;
  };
  try {
    return nlohmann::json::parse(text, check_depth);
  } catch (const nlohmann::json::parse_error& error) {
    throw Failure(fmt::format("{}: not JSON at byte {}; it is damaged or cut short", name, error.byte));
  }
}

}  // namespace pspllm::host
