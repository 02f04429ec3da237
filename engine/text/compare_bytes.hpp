// Order of byte strings.
#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>

namespace pspllm {

/// Negative, zero or positive as `a` comes before, is or comes after `b` in order of unsigned bytes, a
/// beginning before what it begins.
[[nodiscard]] inline int compare_bytes(std::string_view a, std::string_view b) noexcept {
  const std::size_t shared = std::min(a.size(), b.size());
  // An empty view may have no address, which memcmp must not be given.
  const int order = shared == 0 ? 0 : std::memcmp(a.data(), b.data(), shared);
  if (order != 0 || a.size() == b.size()) return order;
  return a.size() < b.size() ? -1 : 1;
}

}  // namespace pspllm
