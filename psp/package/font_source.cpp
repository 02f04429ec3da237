#include "psp/package/font_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace pspllm::package {
namespace {

constexpr std::uint16_t replacement_sign = 0xFFFD;

template <typename Number>
bool parse_hex(std::string_view digits, Number& value) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return error == std::errc{} && end == digits.data() + digits.size();
}

/// Empty when the line was understood.
std::string add_line(std::string_view line, FontGlyphs& glyphs) {
  constexpr std::size_t code_digits = 4;
  constexpr std::size_t glyph_digits = 16;
  std::uint16_t code_point = 0;
  std::uint64_t rows = 0;
  if (line.size() != code_digits + 1 + glyph_digits || line[code_digits] != ':' ||
      !parse_hex(line.substr(0, code_digits), code_point) || !parse_hex(line.substr(code_digits + 1), rows)) {
    return fmt::format("expected XXXX:YYYYYYYYYYYYYYYY in hexadecimal, found \"{}\"", line);
  }
  std::array<std::uint8_t, 8> glyph{};
  for (std::size_t row = 0; row < 8; ++row) glyph[row] = static_cast<std::uint8_t>(rows >> (8 * (7 - row)));
  if (!glyphs.emplace(code_point, glyph).second) return fmt::format("U+{:04X} is given twice", code_point);
  return {};
}

}  // namespace

Result<FontGlyphs> parse_hex_font(std::string_view text) {
  FontGlyphs glyphs;
  std::size_t line_number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    if (line.empty() || line[0] == '#') continue;
    const std::string error = add_line(line, glyphs);
    if (!error.empty()) return Failure{fmt::format("Font, line {}: {}.", line_number, error)};
  }
  if (!glyphs.contains(replacement_sign)) {
    return Failure{"Font: there is no glyph for U+FFFD, which stands for all missing ones."};
  }
  return glyphs;
}

std::string make_font_source(const FontGlyphs& glyphs) {
  std::string code_points;
  std::string rows;
  for (const auto& [code_point, glyph] : glyphs) {
    code_points += fmt::format("    {:#06x},\n", code_point);
    rows += fmt::format("    {{{{{:#04x}}}}},\n", fmt::join(glyph, ", "));
  }
  return fmt::format(
      "// Generated from the font's text file by pspllm-package font.\n"
      "#include \"psp/platform/font_data.hpp\"\n\n"
      "namespace pspllm::psp {{\n"
      "namespace {{\n\n"
      "constexpr std::uint16_t code_points[] = {{\n{}}};\n\n"
      "constexpr Glyph glyphs[] = {{\n{}}};\n\n"
      "}}  // namespace\n\n"
      "constinit const FontData font_data{{code_points, glyphs}};\n\n"
      "}}  // namespace pspllm::psp\n",
      code_points, rows);
}

}  // namespace pspllm::package
