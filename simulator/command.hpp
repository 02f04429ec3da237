#pragma once
// The command `simulate`: runs a memory stick, an EBOOT.PBP or an ELF in the simulator. Usable from any
// command line that is made with CLI11.
#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace pspllm::simulator {

struct SimulateOptions {
  std::string program;  // stick folder, EBOOT.PBP, PRX or ELF
  std::string name;     // of the folder under PSP/GAME, when the stick has several
  std::string symbols;  // unstripped ELF
  std::string device = "psp2000";
  std::optional<std::string> autorun_prompt;
  std::vector<std::string> autorun;  // "key=value" lines for autorun.txt
  std::string keys;                  // script, or @FILE
  std::vector<std::string> screenshots;
  std::vector<std::string> faults;
  std::string json;
  std::string html;
  std::string switches = "conservative";
  std::string bench;  // file of measured constants
  double max_cycles = 1e12;
  bool profile = false;
  bool check_uninitialised = false;
  bool keep_stick = false;
  bool quiet = false;
};

// Runs and reports. Throws std::runtime_error with one sentence when the work fails.
void run_simulate(const SimulateOptions& options);

// The same without a word: report_json() however the program ended, nothing where Ctrl-C stopped it.
[[nodiscard]] std::optional<nlohmann::json> simulate_report(const SimulateOptions& options);

// Adds the subcommand to an application; running it calls run_simulate.
void add_simulate_command(CLI::App& app);

// Adds the command's options to `command` itself.
void add_simulate_options(CLI::App& command, SimulateOptions& options);

}  // namespace pspllm::simulator
