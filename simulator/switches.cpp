#include "simulator/switches.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

namespace pspllm::simulator {

namespace {

std::optional<Word> number_of(std::string_view text) {
  double value = 0.0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size() || !(value >= 0.0) || value > 1e9)
    return std::nullopt;
  return static_cast<Word>(std::lround(value));
}

// Cuts off and returns what stands before the first of `ends`.
std::string_view next_piece(std::string_view& text, std::string_view ends) {
  const std::size_t at = text.find_first_of(ends);
  const std::string_view piece = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return piece;
}

}  // namespace

Result<Timing> parse_switches(std::string_view text, const Timing& base) {
  Timing timing = base;
  while (!text.empty()) {
    const std::string_view piece = next_piece(text, ",");
    if (piece == "conservative") {
      timing = base;
    } else if (piece == "optimistic") {
      timing = optimistic_timing();
    } else if (!piece.empty()) {
      std::string_view value = piece;
      const std::string_view name = next_piece(value, "=");
      const std::optional<Constant> key = constant_named(name);
      const std::optional<Word> number = number_of(value);
      if (!key) return Error{fmt::format("no constant of the timing model is named {}", name)};
      if (!number) return Error{fmt::format("{}={}: expected a number of 0 or more", name, value)};
      timing.set(*key, *number);
    }
  }
  return timing;
}

Result<Timing> parse_bench_file(std::string_view text, const Timing& base, std::size_t& count) {
  Timing timing = base;
  count = 0;
  while (!text.empty()) {
    std::string_view line = next_piece(text, "\n");
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    std::string_view value = line;
    const std::optional<Constant> key = constant_named(next_piece(value, " \t="));
    if (!key) continue;
    while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
    const std::optional<Word> number = number_of(next_piece(value, " \t"));
    if (!number) return Error{fmt::format("bench file: \"{}\" has no number", line)};
    timing.set(*key, *number);
    ++count;
  }
  return timing;
}

}  // namespace pspllm::simulator
