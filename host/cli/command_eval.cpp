// pspllm eval: how well a model predicts a text.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "engine/core/limits.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/json_output.hpp"
#include "host/cli/model_options.hpp"
#include "host/cli/number_option.hpp"
#include "host/core/failure.hpp"
#include "host/io/interrupt.hpp"
#include "host/io/read_text.hpp"
#include "host/report/evaluation.hpp"

namespace pspllm::host {
namespace {

struct EvalOptions {
  ModelOptions model;
  std::string reference;
  std::string text;
  EvaluationOptions evaluation;
  ComputeOptions compute;
  PlanOptions plan;
  std::string json;
};

/// The default window shrinks to what a short context holds.
std::uint32_t window_of(const EvalOptions& options, const OpenedModel& model, const OpenedModel* reference) {
  constexpr std::uint32_t usual_window = 512;
  std::uint32_t longest = model.file.config.seq_len;
  if (reference != nullptr) longest = std::min(longest, reference->file.config.seq_len);
  if (options.evaluation.context == 0) return std::min(usual_window, longest);
  if (options.evaluation.context < smallest_window) {
    throw Failure(fmt::format("a --context of {} predicts nothing, expected at least {}",
                              options.evaluation.context, smallest_window),
                  ExitCode::wrong_use);
  }
  if (options.evaluation.context <= longest) return options.evaluation.context;
  throw Failure(fmt::format("a --context of {} is more than the {} positions that the model was made for",
                            options.evaluation.context, longest));
}

void eval(const EvalOptions& options) {
  const InterruptScope interrupts;
  const std::string text = read_text(options.text);
  OpenedModel opened = open_model(options.model.model, options.model.tokenizer);
  std::unique_ptr<OpenedModel> opened_reference;
  if (!options.reference.empty()) {
    opened_reference = std::make_unique<OpenedModel>(open_model(options.reference, {}));
  }
  EvaluationOptions evaluation_options = options.evaluation;
  evaluation_options.context = window_of(options, opened, opened_reference.get());
  const PlanOptions plan = evaluation_plan(evaluation_options, options.plan.batch);
  LoadedModel model(std::move(opened), plan, options.compute);
  std::unique_ptr<LoadedModel> reference;
  if (opened_reference) {
    reference = std::make_unique<LoadedModel>(std::move(*opened_reference), plan, options.compute);
  }
  const Evaluation evaluation = evaluate(model, reference.get(), text, options.text, evaluation_options);
  write_report(options.json, evaluation_json(evaluation), evaluation_text(evaluation));
}

}  // namespace

void add_eval_command(CLI::App& app) {
  auto options = std::make_shared<EvalOptions>();
  options->evaluation.context = 0;
  constexpr std::uint32_t usual_batch = 96;
  options->plan.batch = usual_batch;
  CLI::App& command = *app.add_subcommand("eval", "Measure how well a model predicts a text");
  command.footer(
      "The text falls into windows that share nothing. Of each whole window the second half is scored, as "
      "llama.cpp's perplexity tool does it. Perplexities compare only between models that split a text into "
      "the "
      "same tokens; bits a byte compare always. Ctrl-C ends with the figures so far.");
  add_model_options(command, options->model);
  command.add_option("--text", options->text, "text to predict; - for standard input")
      ->required()
      ->type_name("FILE");
  command
      .add_option("--reference", options->reference,
                  "model to compare with, token by token where its vocabulary is the same")
      ->type_name("FILE");
  add_number(command, "--context", options->evaluation.context, {0, max_context},
             "tokens of a window; 0: 512, or the model's context where that is shorter");
  add_number(command, "--tokens", options->evaluation.max_tokens, {0, std::uint64_t{1} << 40},
             "tokens of the text's beginning; 0: all");
  command.add_flag("--all-tokens", options->evaluation.all_tokens,
                   "score every token behind a window's first, and the last, short window too");
  add_compute_options(command, options->compute);
  add_batch_option(command, options->plan);
  add_json_report_option(command, options->json);
  command.callback([options] { eval(*options); });
}

}  // namespace pspllm::host
