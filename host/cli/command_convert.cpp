// pspllm convert: a model of any kind becomes one .pspm file.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "engine/core/limits.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/number_option.hpp"
#include "host/core/failure.hpp"
#include "host/core/units.hpp"
#include "host/formats/chat_presets.hpp"
#include "host/formats/checkpoint.hpp"
#include "host/formats/checkpoint_chat.hpp"
#include "host/formats/convert.hpp"
#include "host/io/interrupt.hpp"
#include "host/io/progress_bar.hpp"

namespace pspllm::host {
namespace {

struct ConvertCommand {
  std::string in;
  std::string out;
  std::string tokenizer;
  std::string type = "q80";
  std::string about;
  std::string chat_template;
  std::uint32_t group_size = 0;
};

void convert(const ConvertCommand& command) {
  const InterruptScope interrupts;
  Checkpoint checkpoint = open_checkpoint(command.in, command.tokenizer);
  std::error_code error;
  if (std::filesystem::equivalent(command.in, command.out, error)) {
    throw Failure(fmt::format("{} is both input and output; give the output another name", command.out));
  }
  if (!command.about.empty()) checkpoint.about = command.about;
  choose_chat_template(command.chat_template, checkpoint);
  ConvertOptions options;
  options.format = command.type == "f32" ? TensorFormat::f32 : TensorFormat::q80;
  options.group_size = command.group_size;
  ConvertReport report;
  {
    ProgressBar bar("converting");
    report = convert_checkpoint(checkpoint, command.out, options, bar);
  }
  fmt::print(
      stderr,
      "{} -> {}: {} bytes, {:.2f} bits a weight, error of a weight at most {:.3g}, root mean square {:.3g}\n",
      command.in, command.out, grouped(report.file_bytes), report.bits_per_weight, report.largest_error,
      report.root_mean_square_error);
}

}  // namespace

void add_convert_command(CLI::App& app) {
  auto options = std::make_shared<ConvertCommand>();
  CLI::App& command = *app.add_subcommand("convert", "Write a model with its tokenizer as one .pspm file");
  command
      .add_option("IN", options->in,
                  "model: a GGUF file, a Hugging Face folder, a llama2.c checkpoint or a .pspm file")
      ->required()
      ->type_name("PATH");
  command.add_option("OUT", options->out, "file to write; an old one is replaced when the new one is whole")
      ->required()
      ->type_name("FILE");
  command.add_option("-z,--tokenizer", options->tokenizer, "vocabulary file, where IN holds none")
      ->type_name("FILE")
      ->default_str("tokenizer.bin beside IN");
  command
      .add_option(
          "--type", options->type,
          "numbers of the matrices; f32: floats, q80: int8 values, one fp32 scale a group (those that are "
          "q80 already keep their bytes)")
      ->check(CLI::IsMember({"f32", "q80"}))
      ->type_name("NAME")
      ->capture_default_str();
  add_number(
      command, "--group-size", options->group_size, {0, max_group_size},
      "q80 weights that share a scale; 0: IN's, or the largest of 64, 32, 16 ... that divides every row");
  command
      .add_option("--template", options->chat_template,
                  fmt::format("chat template: {}; {}: tell a story", chat_preset_names(), no_template_name))
      ->type_name("NAME")
      ->default_str("IN's own");
  command.add_option("--about", options->about, "name, origin and licence, for people who inspect the file")
      ->type_name("TEXT")
      ->default_str("what IN says");
  command.callback([options] { convert(*options); });
}

}  // namespace pspllm::host
