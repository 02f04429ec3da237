// JSON for other programs: indented, always valid UTF-8.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace pspllm::host {

/// The document with a line end. Bytes that are no UTF-8 (a path may hold any) become U+FFFD.
[[nodiscard]] std::string json_text(const nlohmann::json& document);

/// Adds --json, which prints a report as JSON instead of as text, and --json=FILE, which writes it to a file.
void add_json_report_option(CLI::App& command, std::string& json);

/// Writes the report as `json` says ("": as text to standard output, "-": JSON there, else: a JSON file).
void write_report(const std::string& json, const nlohmann::json& document, const std::string& text);

}  // namespace pspllm::host
