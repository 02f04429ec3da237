#include "host/cli/number_option.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <functional>
#include <system_error>

namespace pspllm::host {
namespace {

template <typename Number>
[[noreturn]] void refuse(const std::string& option, const std::string& text, const char* kind,
                         NumberRange<Number> range) {
  throw CLI::ValidationError(
      option, fmt::format("\"{}\" is not {} from {} to {}", text, kind, range.smallest, range.largest));
}

/// The whole text as a number, or a failure: nothing may be left over.
template <typename Number>
bool parse_all(const std::string& text, Number& value) {
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stopped == end;
}

CLI::Option* add_parsed(CLI::App& command, const std::string& names, const std::string& default_text,
                        const std::function<void(const std::string&)>& parse,
                        const std::string& description) {
  return command.add_option_function<std::string>(names, parse, description)
      ->type_name("N")
      ->default_str(default_text);
}

/// "-t,--temperature" is spoken of as "--temperature".
std::string long_name(const std::string& names) {
  const std::size_t comma = names.find(',');
  return comma == std::string::npos ? names : names.substr(comma + 1);
}

}  // namespace

std::uint64_t parse_whole_number(const std::string& option, const std::string& text,
                                 NumberRange<std::uint64_t> range) {
  std::uint64_t value = 0;
  if (!parse_all(text, value) || value < range.smallest || value > range.largest) {
    refuse(option, text, "a whole number", range);
  }
  return value;
}

double parse_real_number(const std::string& option, const std::string& text, NumberRange<double> range) {
  double value = 0;
  if (!parse_all(text, value) || !std::isfinite(value) || value < range.smallest || value > range.largest) {
    refuse(option, text, "a number", range);
  }
  return value;
}

CLI::Option* add_number(CLI::App& command, const std::string& names, std::uint32_t& variable,
                        NumberRange<std::uint32_t> range, const std::string& description) {
  const auto parse = [&variable, range, option = long_name(names)](const std::string& text) {
    variable = static_cast<std::uint32_t>(parse_whole_number(option, text, {range.smallest, range.largest}));
  };
  return add_parsed(command, names, std::to_string(variable), parse, description);
}

CLI::Option* add_number(CLI::App& command, const std::string& names, std::uint64_t& variable,
                        NumberRange<std::uint64_t> range, const std::string& description) {
  const auto parse = [&variable, range, option = long_name(names)](const std::string& text) {
    variable = parse_whole_number(option, text, range);
  };
  return add_parsed(command, names, std::to_string(variable), parse, description);
}

CLI::Option* add_number(CLI::App& command, const std::string& names, float& variable,
                        NumberRange<double> range, const std::string& description) {
  const auto parse = [&variable, range, option = long_name(names)](const std::string& text) {
    variable = static_cast<float>(parse_real_number(option, text, range));
  };
  return add_parsed(command, names, fmt::format("{}", variable), parse, description);
}

}  // namespace pspllm::host
