// Number options that take a whole decimal number or nothing: "nan", "1e99", "-1" and "12abc" are refused
// with the range that is right.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace pspllm::host {

template <typename Number>
struct NumberRange {
  Number smallest;
  Number largest;
};

/// Decimal digits alone, within the range. Throws CLI::ValidationError that names the option.
[[nodiscard]] std::uint64_t parse_whole_number(const std::string& option, const std::string& text,
                                               NumberRange<std::uint64_t> range);
/// A finite decimal number within the range. Throws CLI::ValidationError that names the option.
[[nodiscard]] double parse_real_number(const std::string& option, const std::string& text,
                                       NumberRange<double> range);

/// Adds an option that fills `variable`, whose present value is the default shown by --help.
CLI::Option* add_number(CLI::App& command, const std::string& names, std::uint32_t& variable,
                        NumberRange<std::uint32_t> range, const std::string& description);
CLI::Option* add_number(CLI::App& command, const std::string& names, std::uint64_t& variable,
                        NumberRange<std::uint64_t> range, const std::string& description);
CLI::Option* add_number(CLI::App& command, const std::string& names, float& variable,
                        NumberRange<double> range, const std::string& description);

}  // namespace pspllm::host
