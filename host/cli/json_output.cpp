#include "host/cli/json_output.hpp"

#include "host/io/atomic_file.hpp"
#include "host/io/console.hpp"

namespace pspllm::host {
namespace {

constexpr const char* standard_output = "-";

}  // namespace

std::string json_text(const nlohmann::json& document) {
  constexpr int indent = 2;
  return document.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void add_json_report_option(CLI::App& command, std::string& json) {
  command.add_flag("--json{-}", json, "print the report as JSON; --json=FILE writes it to a file")
      ->type_name("");
}

void write_report(const std::string& json, const nlohmann::json& document, const std::string& text) {
  if (json.empty()) {
    write_standard_output(text);
  } else if (json == standard_output) {
    write_standard_output(json_text(document));
  } else {
    write_file(json, json_text(document));
  }
}

}  // namespace pspllm::host
