#include "host/formats/limited_json.hpp"

#include <fmt/format.h>

#include <string>
#include <unordered_set>
#include <vector>

#include "host/core/failure.hpp"

namespace pspllm::host {

nlohmann::json parse_limited_json(std::string_view text, const std::string& name) {
  using Event = nlohmann::json::parse_event_t;
  std::vector<std::unordered_set<std::string>> keys;  // of the objects that are open
  const auto check = [&](int depth, Event event, nlohmann::json& parsed) {
    if (depth > max_json_depth) {
      throw Failure(fmt::format("{}: nested deeper than {} levels; this is no such file, or it is damaged",
                                name, max_json_depth));
    }
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && !keys.back().insert(parsed.get<std::string>()).second) {
      throw Failure(fmt::format("{}: the key {} is there twice; the file is damaged", name,
                                parsed.dump(-1, ' ', true)));
    }
    return true;
  };
  try {
    return nlohmann::json::parse(text, check);
  } catch (const nlohmann::json::parse_error& error) {
    throw Failure(fmt::format("{}: not JSON at byte {}; it is damaged or cut short", name, error.byte));
  } catch (const nlohmann::json::out_of_range&) {
    throw Failure(fmt::format("{}: a number in it is larger than any a double holds; it is damaged", name));
  }
}

}  // namespace pspllm::host
