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

std::string duration(double seconds) {
  constexpr double seconds_per_minute = 60.0;
  constexpr std::uint64_t minutes_per_hour = 60;
  constexpr double shortest_in_minutes = 99.5;
  if (seconds < shortest_in_minutes) return fmt::format("{:.0f} s", seconds);
  const auto minutes = static_cast<std::uint64_t>(std::llround(seconds / seconds_per_minute));
  if (minutes < 2 * minutes_per_hour) return fmt::format("{} min", minutes);
  return fmt::format("{} h {:02} min", minutes / minutes_per_hour, minutes % minutes_per_hour);
}

}  // namespace pspllm::host
