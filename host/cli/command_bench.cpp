// pspllm bench: speed of a model on this machine.
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
#include "host/report/benchmark.hpp"

namespace pspllm::host {
namespace {

struct BenchOptions {
  ModelOptions model;
  ComputeOptions compute;
  PlanOptions plan;
  BenchmarkOptions benchmark;
  bool lengths_given = false;
  std::string json;
};

/// The default lengths shrink to what a short context holds; lengths that were asked for do not.
BenchmarkOptions fit_to_context(const BenchOptions& options, std::uint32_t context) {
  BenchmarkOptions benchmark = options.benchmark;
  if (benchmark.prompt_tokens + benchmark.generated_tokens <= context) return benchmark;
  if (options.lengths_given || context < 2) {
    throw Failure(
        fmt::format("{} prompt tokens and {} generated ones are more than the model's context of {}; "
                    "choose shorter ones",
                    benchmark.prompt_tokens, benchmark.generated_tokens, context));
  }
  benchmark.prompt_tokens = std::min(benchmark.prompt_tokens, context / 2);
  benchmark.generated_tokens = std::min(benchmark.generated_tokens, context / 2);
  return benchmark;
}

void bench(const BenchOptions& options) {
  const InterruptScope interrupts;
  OpenedModel opened = open_model(options.model.model, options.model.tokenizer);
  opened.draft_table.reset();  // a token is to cost a pass
  const BenchmarkOptions benchmark_options = fit_to_context(options, opened.file.config.seq_len);
  PlanOptions plan = options.plan;
  plan.context = benchmark_options.prompt_tokens + benchmark_options.generated_tokens;
  LoadedModel model(std::move(opened), plan, options.compute);
  const Benchmark benchmark = run_benchmark(model, benchmark_options);
  write_report(options.json, benchmark_json(benchmark, model), benchmark_text(benchmark, model));
}

}  // namespace

void add_bench_command(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App& command = *app.add_subcommand("bench", "Measure a model's speed on this machine");
  command.footer(
      "Prefill: prompt tokens, many at once. Decode: one token after the other, each of which reads all "
      "weights. Ctrl-C ends with the figures so far.");
  add_model_options(command, options->model);
  BenchmarkOptions& benchmark = options->benchmark;
  CLI::Option* prompt = add_number(command, "--prompt-tokens", benchmark.prompt_tokens, {1, max_context},
                                   "tokens of the prompt");
  CLI::Option* generated = add_number(command, "--generated-tokens", benchmark.generated_tokens,
                                      {1, max_context}, "tokens to generate");
  add_number(command, "--repetitions", benchmark.repetitions, {1, 1000},
             "measured runs, after one for warmth");
  add_compute_options(command, options->compute);
  add_batch_option(command, options->plan);
  add_json_report_option(command, options->json);
  command.callback([options, prompt, generated] {
    options->lengths_given = prompt->count() + generated->count() > 0;
    bench(*options);
  });
}

}  // namespace pspllm::host
