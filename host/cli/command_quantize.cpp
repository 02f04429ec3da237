// pspllm quantize: a model becomes smaller: int8 groups in a llama2.c file, or byte codes in a .pspm file.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "engine/core/limits.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/json_output.hpp"
#include "host/cli/number_option.hpp"
#include "host/core/failure.hpp"
#include "host/core/units.hpp"
#include "host/io/atomic_file.hpp"
#include "host/io/interrupt.hpp"
#include "host/io/progress_bar.hpp"
#include "host/quantize/llama2c_q80_file.hpp"
#include "host/quantize/model/quantize_job.hpp"

namespace pspllm::host {
namespace {

constexpr const char* q80_type = "q80";
constexpr const char* codes_type = "codes";

struct QuantizeOptions {
  std::string type;
  std::string report;
  std::uint32_t group_size = 0;
  QuantizeJob job;
};

void quantize_to_q80(const QuantizeOptions& options) {
  const std::string& in = options.job.in;
  const std::string& out = options.job.out;
  const InterruptScope interrupts;
  const OpenedModel opened = open_model_alone(in);
  QuantizeReport report;
  {
    ProgressBar bar("quantising");
    report = write_llama2c_q80(opened, out, options.group_size, bar);
  }
  fmt::print(
      stderr,
      "{} -> {}: {} -> {} bytes ({:.2f} times smaller), group size {}, error of a weight at most {:.3g}, "
      "root mean square {:.3g}\n",
      in, out, grouped(report.bytes_in), grouped(report.bytes_out),
      static_cast<double>(report.bytes_in) / static_cast<double>(report.bytes_out), report.group_size,
      report.largest_error, report.root_mean_square_error);
}

/// The report as the path's ending says.
void write_quantize_report(const std::string& path, const ModelReport& report) {
  if (path.ends_with(".json")) {
    write_file(path, json_text(report_json(report)));
  } else if (path.ends_with(".html")) {
    write_file(path, report_html(report));
  } else {
    write_file(path, report_text(report, true));
  }
}

void quantize_to_codes(const QuantizeOptions& options) {
  const InterruptScope interrupts;
  if (options.job.calibration.empty()) {
    fmt::print(stderr,
               "pspllm: without --calibration TEXT all inputs count alike; below 4 bits a weight the model "
               "loses much more than it must\n");
  }
  const ModelReport report = run_quantize_job(options.job);
  if (!options.report.empty()) write_quantize_report(options.report, report);
  fmt::print(stderr, "{}", report_text(report, false));
}

void quantize(const QuantizeOptions& options) {
  const bool codes = options.type.empty() ? options.job.out.ends_with(".pspm") : options.type == codes_type;
  if (codes && options.group_size != 0) {
    throw Failure("--group-size is for --type q80; byte codes have one scale a row", ExitCode::wrong_use);
  }
  if (options.job.target_bits > 0.0F && !options.job.recipe.empty()) {
    throw Failure("--target-bpw chooses a recipe itself; leave --recipe out", ExitCode::wrong_use);
  }
  const bool asks_for_codes = options.job.target_bits > 0.0F || !options.job.recipe.empty() ||
                              !options.job.calibration.empty() || !options.report.empty();
  if (!codes && asks_for_codes) {
    throw Failure("--target-bpw, --recipe, --calibration and --report are for --type codes",
                  ExitCode::wrong_use);
  }
  if (codes) {
    quantize_to_codes(options);
  } else {
    quantize_to_q80(options);
  }
}

void add_codes_options(CLI::App& command, QuantizeOptions& options) {
  QuantizeJob& job = options.job;
  command.add_option("-z,--tokenizer", job.tokenizer, "codes: vocabulary file, where IN holds none")
      ->type_name("FILE")
      ->default_str("what belongs to IN");
  command.add_option("--recipe", job.recipe, "codes: weights a byte for every matrix, a JSON file")
      ->type_name("FILE")
      ->default_str("2 for the embedding, 4 for value, 6 for all others");
  add_number(command, "--target-bpw", job.target_bits, {0.0, 64.0},
             "codes: bits a weight, everything included; measures what each matrix matters, chooses widths, "
             "writes them as OUT.recipe.json; 0: as --recipe says");
  command.add_option("--calibration", job.calibration, "codes: text like what the model will meet")
      ->type_name("TEXT");
  add_number(command, "--calibration-tokens", job.calibration_tokens, {512, 10000000},
             "codes: tokens to calibrate on; more of them take more time and fit better");
  add_number(command, "--threads", job.threads, {0, 256},
             "codes: threads; 0: all cores. The result is the same");
  add_number(command, "--seed", job.seed, {0, UINT64_MAX}, "codes: seed of the codebooks' first words");
  command
      .add_option("--report", options.report,
                  "codes: a line a tensor, written as JSON or HTML where the name ends in .json or .html")
      ->type_name("FILE");
}

}  // namespace

void add_quantize_command(CLI::App& app) {
  auto options = std::make_shared<QuantizeOptions>();
  CLI::App& command = *app.add_subcommand("quantize", "Make a model smaller: int8 groups, or byte codes");
  command
      .add_option("IN", options->job.in,
                  "model; q80: fp32 llama2.c checkpoint, codes: any that convert reads")
      ->required()
      ->type_name("MODEL");
  command
      .add_option("OUT", options->job.out, "file to write; an old one is replaced when the new one is whole")
      ->required()
      ->type_name("FILE");
  command
      .add_option("--type", options->type,
                  "q80: int8 values, one fp32 scale a group, as llama2.c's exporter writes them (version 2); "
                  "codes: one byte for 1 to 8 weights, a .pspm file")
      ->check(CLI::IsMember({q80_type, codes_type}))
      ->type_name("NAME")
      ->default_str("codes where OUT ends in .pspm, else q80");
  add_number(command, "--group-size", options->group_size, {0, max_group_size},
             "q80: weights that share a scale; 0: the largest of 64, 32, 16 ... that divides every row");
  add_codes_options(command, *options);
  command.callback([options] { quantize(*options); });
}

}  // namespace pspllm::host
