// pspllm draft: the n-gram table with which a model's text comes faster, and stays the same.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/limits.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/number_option.hpp"
#include "host/core/failure.hpp"
#include "host/draft/build_draft_table.hpp"
#include "host/draft/own_texts.hpp"
#include "host/io/atomic_file.hpp"
#include "host/io/interrupt.hpp"
#include "host/io/progress_bar.hpp"
#include "host/io/read_text.hpp"
#include "host/model/loaded_model.hpp"
#include "host/model/loaded_tokenizer.hpp"
#include "host/model/opened_model.hpp"

namespace pspllm::host {
namespace {

struct DraftOptions {
  std::string model;
  std::string tokenizer;
  std::string text;
  std::string out;
  std::uint32_t own_texts = 0;
  std::uint32_t own_length = 300;
  DraftTableOptions table;
};

/// Calls work(report_progress) with a progress bar that Ctrl-C stops.
template <typename Work>
auto with_progress(const char* name, BarUnit unit, Work work) {
  ProgressBar bar(name, unit);
  const Progress progress = bar.callback();
  return work([&](std::uint64_t done, std::uint64_t total) {
    if (!progress(done, total)) throw Interrupted();
  });
}

std::vector<TokenText> encode_text(const OpenedModel& opened, const std::string& path) {
  const LoadedCodec loaded = load_tokenizer(opened);
  const std::string text = read_text(path);
  return with_progress("encoding", BarUnit::bytes, [&](const ReportProgress& report_progress) {
    return encode_documents(loaded.codec(), text, report_progress);
  });
}

std::vector<TokenText> tell(OpenedModel opened, const std::vector<TokenText>& documents,
                            const DraftOptions& options) {
  PlanOptions plan;
  plan.context = std::min(options.own_length, opened.file.config.seq_len);
  opened.draft_table.reset();  // the one that is made anew
  LoadedModel model(std::move(opened), plan, {});
  return with_progress("telling", BarUnit::time_left, [&](const ReportProgress& report_progress) {
    return tell_own_texts(model, documents, options.own_texts, plan.context, report_progress);
  });
}

void make_draft_table(const DraftOptions& options) {
  const InterruptScope interrupts;
  if (!std::has_single_bit(options.table.entry_count)) {
    throw Failure(fmt::format("--entries is {}, expected a power of two such as {}",
                              options.table.entry_count, std::bit_ceil(options.table.entry_count)),
                  ExitCode::wrong_use);
  }
  OpenedModel opened = open_model(options.model, options.tokenizer);
  const std::uint32_t vocab_size = opened.file.config.vocab_size;
  std::vector<TokenText> documents = encode_text(opened, options.text);
  if (options.own_texts > 0) documents = tell(std::move(opened), documents, options);
  DraftTableReport report;
  const std::string file = build_draft_table(documents, vocab_size, options.table, report);
  write_file(options.out, file);
  fmt::print(stderr, "{}: {} bytes, {} entries of {} contexts worth one, from {} tokens of {}\n", options.out,
             file.size(), report.entries, report.candidates, report.tokens,
             options.own_texts > 0 ? "the model's own" : options.text);
}

}  // namespace

void add_draft_command(CLI::App& app) {
  constexpr std::uint32_t most_entries = 1U << 22;
  constexpr std::uint32_t most_count = 1000000;
  constexpr std::uint32_t most_texts = 1000000;
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
  add_number(command, "--own-texts", options->own_texts, {0, most_texts},
             "make the table from so many texts that the model tells itself, each from the first words of a "
             "document; 0: from the text as it is");
  add_number(command, "--own-length", options->own_length, {16, max_context},
             "tokens of such a text at most");
  add_number(command, "--entries", options->table.entry_count, {draft_bucket, most_entries},
             "slots of the table, a power of two; four bytes each");
  add_number(command, "--least-share", options->table.least_share, {0.0, 1.0},
             "share of a context's followers that the proposed one must have");
  add_number(command, "--least-count", options->table.least_count, {1, most_count},
             "times that the proposed follower must have been seen");
  command.callback([options] { make_draft_table(*options); });
}

}  // namespace pspllm::host
