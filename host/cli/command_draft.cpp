// pspllm draft: the n-gram table with which a model's text comes faster, and stays the same.
#include <fmt/format.h>

#include <bit>
#include <memory>
#include <string>
#include <vector>

#include "host/cli/commands.hpp"
#include "host/cli/number_option.hpp"
#include "host/core/failure.hpp"
#include "host/draft/build_draft_table.hpp"
#include "host/io/atomic_file.hpp"
#include "host/io/interrupt.hpp"
#include "host/io/progress_bar.hpp"
#include "host/io/read_text.hpp"
#include "host/model/loaded_tokenizer.hpp"
#include "host/model/opened_model.hpp"

namespace pspllm::host {
namespace {

struct DraftOptions {
  std::string model;
  std::string tokenizer;
  std::string text;
  std::string out;
  DraftTableOptions table;
};

void make_draft_table(const DraftOptions& options) {
  const InterruptScope interrupts;
  if (!std::has_single_bit(options.table.entry_count)) {
    throw Failure(fmt::format("--entries is {}, expected a power of two such as {}",
                              options.table.entry_count, std::bit_ceil(options.table.entry_count)),
                  ExitCode::wrong_use);
  }
  const OpenedModel opened = open_model(options.model, options.tokenizer);
  const LoadedCodec loaded = load_tokenizer(opened);
  const std::string text = read_text(options.text);
  DraftTableReport report;
  std::string file;
  {
    ProgressBar bar("encoding");
    const Progress progress = bar.callback();
    file = build_draft_table(
        loaded.codec(), text, options.table,
        [&](std::uint64_t done, std::uint64_t total) {
          if (!progress(done, total)) throw Interrupted();
        },
        report);
  }
  write_file(options.out, file);
  fmt::print(stderr, "{}: {} bytes, {} entries of {} contexts worth one, from {} tokens of {}\n", options.out,
             file.size(), report.entries, report.candidates, report.tokens, options.text);
}

}  // namespace

void add_draft_command(CLI::App& app) {
  constexpr std::uint32_t most_entries = 1U << 22;
  constexpr std::uint32_t most_count = 1000000;
  auto options = std::make_shared<DraftOptions>();
  CLI::App& command =
      *app.add_subcommand("draft", "Make the n-gram table that speeds a model up without changing its text");
  command.add_option("MODEL", options->model, "model that the table is for")->required()->type_name("FILE");
  command.add_option("-z,--tokenizer", options->tokenizer, "vocabulary file")
      ->type_name("FILE")
      ->default_str("tokenizer.bin beside MODEL");
  command
      .add_option(
          "--text", options->text,
          "text in the style of what the model writes (its training text); <|endoftext|> separates documents")
      ->required()
      ->type_name("FILE");
  command.add_option("--out", options->out, "file to write; draft.bin beside the model is found by itself")
      ->required()
      ->type_name("FILE");
  add_number(command, "--entries", options->table.entry_count, {draft_bucket, most_entries},
             "slots of the table, a power of two; four bytes each");
  add_number(command, "--least-share", options->table.least_share, {0.0, 1.0},
             "share of a context's followers that the proposed one must have");
  add_number(command, "--least-count", options->table.least_count, {1, most_count},
             "times that the proposed follower must have been seen");
  command.callback([options] { make_draft_table(*options); });
}

}  // namespace pspllm::host
