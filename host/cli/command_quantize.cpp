// pspllm quantize: an fp32 checkpoint becomes an int8 one.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "engine/core/limits.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/number_option.hpp"
#include "host/core/units.hpp"
#include "host/io/interrupt.hpp"
#include "host/io/progress_bar.hpp"
#include "host/quantize/llama2c_q80_file.hpp"

namespace pspllm::host {
namespace {

struct QuantizeOptions {
  std::string in;
  std::string out;
  std::string type = "q80";
  std::uint32_t group_size = 0;
};

void quantize(const QuantizeOptions& options) {
  const InterruptScope interrupts;
  const OpenedModel opened = open_model_alone(options.in);
  QuantizeReport report;
  {
    ProgressBar bar("quantising");
    report = write_llama2c_q80(opened, options.out, options.group_size, bar);
  }
  fmt::print(
      stderr,
      "{} -> {}: {} -> {} bytes ({:.2f} times smaller), group size {}, error of a weight at most {:.3g}, "
      "root mean square {:.3g}\n",
      options.in, options.out, grouped(report.bytes_in), grouped(report.bytes_out),
      static_cast<double>(report.bytes_in) / static_cast<double>(report.bytes_out), report.group_size,
      report.largest_error, report.root_mean_square_error);
}

}  // namespace

void add_quantize_command(CLI::App& app) {
  auto options = std::make_shared<QuantizeOptions>();
  CLI::App& command = *app.add_subcommand("quantize", "Make a model smaller: fp32 to int8 groups");
  command.add_option("IN", options->in, "fp32 llama2.c checkpoint, version 0 or 1")
      ->required()
      ->type_name("FILE");
  command.add_option("OUT", options->out, "file to write; an old one is replaced when the new one is whole")
      ->required()
      ->type_name("FILE");
  command
      .add_option("--type", options->type,
                  "q80: int8 values, one fp32 scale a group, as llama2.c's exporter writes them (version 2)")
      ->check(CLI::IsMember({"q80"}))
      ->type_name("NAME")
      ->capture_default_str();
  add_number(command, "--group-size", options->group_size, {0, max_group_size},
             "weights that share a scale; 0: the largest of 64, 32, 16 ... that divides every row");
  command.callback([options] { quantize(*options); });
}

}  // namespace pspllm::host
