// pspllm inspect: what is in a model file.
#include <memory>
#include <optional>
#include <string>

#include "host/cli/commands.hpp"
#include "host/cli/json_output.hpp"
#include "host/cli/model_options.hpp"
#include "host/io/interrupt.hpp"
#include "host/io/progress_bar.hpp"
#include "host/report/container.hpp"
#include "host/report/inspection.hpp"

namespace pspllm::host {
namespace {

struct InspectOptions {
  ModelOptions model;
  std::string json;
};

/// A model can be inspected without a tokenizer; one that is there must belong to it.
OpenedModel open_for_inspection(const ModelOptions& options) {
  OpenedModel opened = open_model_alone(options.model);
  if (opened.file.own_tokenizer_bytes() > 0) {
    if (!options.tokenizer.empty()) return open_model(options.model, options.tokenizer);
    return opened;
  }
  const std::optional<std::string> path = options.tokenizer.empty()
                                              ? file_beside(options.model, "tokenizer.bin")
                                              : std::optional(options.tokenizer);
  if (path) opened.tokenizer = std::make_unique<FileSource>(*path, "tokenizer");
  return opened;
}

void inspect_model(const InspectOptions& options) {
  const InterruptScope interrupts;
  if (const std::optional<Container> container = read_container(options.model.model); container) {
    write_report(options.json, container_json(*container), container_text(*container));
    return;
  }
  const OpenedModel opened = open_for_inspection(options.model);
  Inspection inspection;
  {
    ProgressBar bar("inspecting");
    inspection = inspect(opened, bar);
  }
  write_report(options.json, inspection_json(inspection), inspection_text(inspection));
}

}  // namespace

void add_inspect_command(CLI::App& app) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App& command = *app.add_subcommand("inspect", "Show what is in a model file");
  command.footer(
      "Of GGUF and safetensors files: metadata, and the tensors with their shapes and number formats.");
  add_model_options(command, options->model);
  add_json_report_option(command, options->json);
  command.callback([options] { inspect_model(*options); });
}

}  // namespace pspllm::host
