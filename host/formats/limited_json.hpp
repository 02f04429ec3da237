// JSON from files that nobody vouches for.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace pspllm::host {

/// Nesting that no file read here comes near.
inline constexpr int max_json_depth = 32;

/// Parses `text`; throws Failure (`name`, place, reason) where it is no JSON, nested deeper than
/// max_json_depth, has a key twice in one object, or a number beyond a double's range.
[[nodiscard]] nlohmann::json parse_limited_json(std::string_view text, const std::string& name);

}  // namespace pspllm::host
