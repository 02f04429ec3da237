// pspllm-simulate: the command `simulate` as a program of its own.
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "simulator/command.hpp"

int main(int argc, char** argv) {
  CLI::App app("Run a PSP program cycle by cycle: modelled speed, faults, profile", "pspllm-simulate");
  app.footer("Exit codes: 0 done, 1 the program did not end by itself or the work failed, 2 wrong use.");
  pspllm::simulator::SimulateOptions options;
  pspllm::simulator::add_simulate_options(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "pspllm-simulate: {}; see --help\n", error.what());
    return 2;
  }
  try {
    pspllm::simulator::run_simulate(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "pspllm-simulate: {}\n", error.what());
    return 1;
  }
  return 0;
}
