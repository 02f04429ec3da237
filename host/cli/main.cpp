// pspllm: the command line. Each command registers itself from its own file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>

#include "host/cli/commands.hpp"
#include "host/core/failure.hpp"
#include "simulator/command.hpp"

namespace pspllm::host {
namespace {

int report(const std::string& sentence, ExitCode code) {
  fmt::print(stderr, "pspllm: {}\n", sentence);
  return static_cast<int>(code);
}

int run_command_line(int argc, char** argv) {
  CLI::App app("Language models on a Sony PSP, and on the PC beside it.", "pspllm");
  app.require_subcommand(0, 1);
  app.footer(
      "Exit codes: 0 done (or stopped by Ctrl-C), 1 the work failed or a thing does not fit, 2 wrong use.");
  add_run_command(app);
  add_chat_command(app);
  add_inspect_command(app);
  add_budget_command(app);
  add_convert_command(app);
  add_quantize_command(app);
  add_bench_command(app);
  add_eval_command(app);
  add_draft_command(app);
  add_pack_command(app);
  add_tokenize_command(app);
  simulator::add_simulate_command(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return report(std::string(error.what()) + "; see pspllm --help", ExitCode::wrong_use);
  }
  if (app.get_subcommands().empty()) {
    std::string names;
    for (const CLI::App* command : app.get_subcommands({})) {
      names += (names.empty() ? "" : ", ") + command->get_name();
    }
    return report("no command is given, expected one of: " + names + "; see pspllm --help",
                  ExitCode::wrong_use);
  }
  return static_cast<int>(ExitCode::done);
}

}  // namespace
}  // namespace pspllm::host

int main(int argc, char** argv) {
  using pspllm::host::ExitCode;
  // A file-size limit shall give an error that can be reported, not a signal that ends the program.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return pspllm::host::run_command_line(argc, argv);
  } catch (const pspllm::host::Failure& failure) {
    return pspllm::host::report(failure.what(), failure.code());
  } catch (const pspllm::host::Interrupted&) {
    return pspllm::host::report("stopped", ExitCode::done);
  } catch (const std::bad_alloc&) {
    return pspllm::host::report("the machine has no memory left for this; use a smaller model or context",
                                ExitCode::failed);
  } catch (const std::exception& error) {
    return pspllm::host::report(error.what(), ExitCode::failed);
  }
}
