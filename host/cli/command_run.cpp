// pspllm run: a prompt goes in, text streams out.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "engine/text/text_codec.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/json_output.hpp"
#include "host/cli/model_options.hpp"
#include "host/cli/number_option.hpp"
#include "host/core/failure.hpp"
#include "host/generation/figures.hpp"
#include "host/generation/prompt_text.hpp"
#include "host/generation/text_job.hpp"
#include "host/generation/text_writer.hpp"
#include "host/io/atomic_file.hpp"
#include "host/io/console.hpp"
#include "host/io/interrupt.hpp"
#include "host/io/read_text.hpp"
#include "host/model/loaded_model.hpp"

namespace pspllm::host {
namespace {

using Clock = std::chrono::steady_clock;

struct RunOptions {
  ModelOptions model;
  ComputeOptions compute;
  SamplerOptions sampler;
  std::string prompt;
  std::string prompt_file;
  std::uint32_t steps = 256;
  bool steps_given = false;
  bool reference_output = false;
  std::string json_path;
};

/// Streams a text to standard output and takes the time of its parts.
class StreamingListener : public TextListener {
 public:
  StreamingListener(const TextCodec& tokenizer, bool reference_output) noexcept
      : tokenizer_(tokenizer), reference_output_(reference_output), start_(Clock::now()) {}

  void token(std::int32_t previous, std::int32_t token) override {
    show(reference_output_ ? reference_piece(tokenizer_, previous, token)
                           : writer_.add(tokenizer_, previous, token));
    if (is_prompt_done_) ++figures_.generated_tokens;
  }

  void prompt_done() override {
    figures_.prefill = Clock::now() - start_;
    is_prompt_done_ = true;
    prompt_done_at_ = Clock::now();
  }

  void finish() {
    if (is_prompt_done_) figures_.decode = Clock::now() - prompt_done_at_;
    if (!reference_output_) show(writer_.finish());
    show("\n");
  }

  [[nodiscard]] TextFigures& figures() noexcept { return figures_; }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  void show(const std::string& piece) {
    write_standard_output(piece);
    text_ += piece;
  }

  const TextCodec& tokenizer_;
  bool reference_output_;
  Utf8TextWriter writer_;
  std::string text_;
  TextFigures figures_;
  Clock::time_point start_;
  Clock::time_point prompt_done_at_;
  bool is_prompt_done_ = false;
};

std::string prompt_text(const RunOptions& options) {
  if (options.prompt_file.empty()) return options.prompt;
  std::string text = read_text(options.prompt_file);
  // Editors end a file with a line end that nobody means as part of the prompt.
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  require_no_zero_byte(text, options.prompt_file);
  return text;
}

/// runq.c's steps: 0 or more than the context means the whole context.
std::uint32_t resolve_steps(const RunOptions& options, std::uint32_t context) {
  if (options.steps != 0 && options.steps <= context) return options.steps;
  if (options.steps > context && options.steps_given && !options.reference_output) {
    fmt::print(stderr, "pspllm: --steps {} is more than the model's context; going on to its end at {}\n",
               options.steps, context);
  }
  return context;
}

void check_prompt_length(std::size_t prompt_tokens, std::uint32_t steps, std::uint32_t context) {
  if (prompt_tokens > context) {
    throw Failure(
        fmt::format("the prompt has {} tokens (with the one that begins a text), the model's context "
                    "holds {}; shorten the prompt by {} tokens or more",
                    prompt_tokens, context, prompt_tokens - context));
  }
  if (prompt_tokens > steps) {
    throw Failure(
        fmt::format("the prompt has {} tokens (with the one that begins a text), --steps {} counts "
                    "them too and leaves no room; give more steps (0: the whole context of {})",
                    prompt_tokens, steps, context));
  }
}

void write_json(const RunOptions& options, const std::string& prompt, const std::string& text,
                const TextFigures& figures, LoadedModel& model) {
  nlohmann::json document = to_json(figures, model);
  document["model"] = model.model_path();
  document["tokenizer"] = model.tokenizer_path();
  document["temperature"] = options.sampler.temperature;
  document["top_p"] = options.sampler.top_p;
  document["seed"] = options.sampler.seed;
  document["prompt"] = prompt;
  document["text"] = text;
  write_file(options.json_path, json_text(document));
}

void run(RunOptions& options) {
  const InterruptScope interrupts;
  const auto start = Clock::now();
  resolve_seed(options.sampler);
  const std::string prompt = prompt_text(options);
  OpenedModel opened = open_model(options.model.model, options.model.tokenizer);
  const std::uint32_t context = opened.file.config.seq_len;
  const std::uint32_t steps = resolve_steps(options, context);
  PlanOptions plan;
  plan.context = steps;
  plan.max_prompt_bytes = std::max(plan.max_prompt_bytes, static_cast<std::uint32_t>(prompt.size()));
  LoadedModel model(std::move(opened), plan, options.compute);
  Engine& engine = model.engine();

  const auto encoded = encode(engine.tokenizer, prompt, TextPlace::beginning, engine.encode_scratch);
  require(encoded.status());
  const std::vector<std::int32_t> tokens(encoded.value().begin(), encoded.value().end());
  if (!options.reference_output) check_prompt_length(tokens.size(), steps, context);

  const Seconds load_time = Clock::now() - start;
  Generator generator = make_generator(engine, options.sampler, interrupt_hook());
  StreamingListener listener(engine.tokenizer, options.reference_output);
  const Result<TextEnd> end = generate_text(generator, {tokens, steps, !options.reference_output}, listener);
  listener.finish();
  require(end.status());

  TextFigures& figures = listener.figures();
  figures.load = load_time;
  figures.prompt_tokens = static_cast<std::uint32_t>(tokens.size());
  figures.end = end.value();
  fmt::print(stderr, "{}", describe(figures, model));
  if (!options.json_path.empty()) write_json(options, prompt, listener.text(), figures, model);
}

}  // namespace

void add_run_command(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  CLI::App& command = *app.add_subcommand("run", "Tell a text that begins with a prompt");
  command.footer(
      "Text goes to standard output as it is made, figures to standard error. Ctrl-C stops cleanly "
      "with the figures so far (exit code 0).");
  add_model_options(command, options->model);
  CLI::Option* prompt =
      command.add_option("-i,--prompt", options->prompt, "how the text begins")->type_name("TEXT");
  command
      .add_option("--prompt-file", options->prompt_file,
                  "read the prompt from a file, - for standard input; one line end at its end is left out")
      ->type_name("FILE")
      ->excludes(prompt);
  add_sampler_options(command, options->sampler);
  constexpr std::uint32_t most_steps = 1U << 30;
  CLI::Option* steps = add_number(command, "-n,--steps", options->steps, {0, most_steps},
                                  "positions in all, the prompt's tokens included; 0: the whole context");
  command.add_flag(
      "--reference-output", options->reference_output,
      "print exactly what llama2.c's runq prints: lone bytes dropped, a long prompt cut, only BOS "
      "ends a text");
  add_compute_options(command, options->compute);
  command.add_option("--json", options->json_path, "also write text and figures to a file as JSON")
      ->type_name("FILE");
  command.callback([options, steps] {
    options->steps_given = steps->count() > 0;
    run(*options);
  });
}

}  // namespace pspllm::host
