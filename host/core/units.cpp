#include "host/core/units.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace pspllm::host {

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t from_end = 3; from_end < digits.size(); from_end += 4) {
    digits.insert(digits.size() - from_end, 1, ',');
  }
  return digits;
}

std::string binary_size(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> units{"bytes", "KiB", "MiB", "GiB", "TiB"};
  constexpr double step = 1024.0;
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= step && unit + 1 < units.size()) {
    value /= step;
    ++unit;
  }
  if (unit == 0) return fmt::format("{} bytes", bytes);
  return fmt::format("{:.{}f} {}", value, value < 10 ? 2 : value < 100 ? 1 : 0, units[unit]);
}

std::string rate(double per_second) {
  if (!std::isfinite(per_second) || per_second < 0) return "?";
  if (per_second >= 1000) return grouped(static_cast<std::uint64_t>(std::llround(per_second)));
  return fmt::format("{:.{}f}", per_second, per_second < 10 ? 2 : 1);
}

}  // namespace pspllm::host
