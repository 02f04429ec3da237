// pspllm budget: where every byte of a PSP's memory goes.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/limits.hpp"
#include "engine/model/console_batch.hpp"
#include "engine/ops/psp/vfpu_kernels.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/json_output.hpp"
#include "host/cli/model_options.hpp"
#include "host/cli/number_option.hpp"
#include "host/core/failure.hpp"
#include "host/io/atomic_file.hpp"
#include "host/model/opened_model.hpp"
#include "host/report/budget.hpp"

namespace pspllm::host {
namespace {

struct BudgetOptions {
  ModelOptions model;
  std::string device{devices.front().name};
  PlanOptions plan;
  std::string json;
  std::string html_path;
};

void print_budget(const BudgetOptions& options) {
  OpenedModel opened = open_model(options.model.model, options.model.tokenizer);
  PlanOptions plan_options = options.plan;
  plan_options.tokenizer_file_bytes = opened.tokenizer_bytes();
  MemoryPlan plan;
  require(plan_memory(opened.file, plan_options, psp::vfpu_kernels(), plan), opened.model->path());

  const auto device = std::find_if(devices.begin(), devices.end(),
                                   [&](const Device& candidate) { return candidate.name == options.device; });
  const std::string name = std::filesystem::path(opened.model->path()).filename().string();
  const Budget budget = make_budget(*device, name, opened.file, plan);
  write_report(options.json, budget_json(budget), budget_table(budget));
  if (!options.html_path.empty()) write_file(options.html_path, budget_html(budget));
  if (!budget.fits()) throw Failure(name + " " + verdict(budget));
}

}  // namespace

void add_budget_command(CLI::App& app) {
  auto options = std::make_shared<BudgetOptions>();
  CLI::App& command = *app.add_subcommand("budget", "Show where every byte of a PSP's memory goes");
  command.footer("Exit code 1 where the model does not fit.");
  add_model_options(command, options->model);
  std::vector<std::string> names;
  for (const Device& device : devices) names.emplace_back(device.name);
  command
      .add_option("--device", options->device, "the console: psp1000 (24 MB for programs) or psp2000 (51 MB)")
      ->check(CLI::IsMember(names))
      ->type_name("NAME")
      ->capture_default_str();
  add_number(command, "--context", options->plan.context, {0, max_context},
             "positions of the key/value cache; 0: the model's own context");
  options->plan.batch = console_prompt_batch;
  add_batch_option(command, options->plan);
  add_number(command, "--prompt-bytes", options->plan.max_prompt_bytes, {1, 1U << 20},
             "longest text that can be encoded");
  add_json_report_option(command, options->json);
  command.add_option("--html", options->html_path, "also write a page with the memory map as a picture")
      ->type_name("FILE");
  command.callback([options] { print_budget(*options); });
}

}  // namespace pspllm::host
