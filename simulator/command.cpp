#include "simulator/command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "simulator/host_storage.hpp"
#include "simulator/machine.hpp"
#include "simulator/png_file.hpp"
#include "simulator/report.hpp"
#include "simulator/switches.hpp"

namespace pspllm::simulator {

namespace {

namespace fs = std::filesystem;

constexpr Cycles slice_cycles = 20'000'000;  // between looks at the progress line and at Ctrl-C

std::atomic<bool> interrupted = false;

void on_interrupt(int) {
  interrupted = true;
}

[[noreturn]] void fail_with(const std::string& sentence) {
  throw std::runtime_error(sentence);
}

std::vector<Byte> read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail_with(fmt::format("{} cannot be read", path.string()));
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::string& content) {
  if (path == "-") {
    fmt::print("{}\n", content);
    return;
  }
  std::ofstream file(path, std::ios::binary);
  file << content;
  if (!file.good()) fail_with(fmt::format("{} cannot be written", path));
}

// What to run: the program's file, and the folder that becomes (part of) the stick.
struct Target {
  fs::path program;
  fs::path folder;
  std::string mount;         // where the folder's content appears on the stick
  std::string program_path;  // of the program, on the stick
};

std::string game_path(const std::string& name) {
  return "PSP/GAME/" + name;
}

Target target_in_folder(const fs::path& folder, const std::string& wanted) {
  if (fs::is_regular_file(folder / "EBOOT.PBP")) {
    const fs::path absolute = fs::absolute(folder).lexically_normal();
    const std::string name =
        (absolute.has_filename() ? absolute : absolute.parent_path()).filename().string();
    return {folder / "EBOOT.PBP", folder, game_path(name), "ms0:/" + game_path(name) + "/EBOOT.PBP"};
  }
  std::vector<std::string> names;
  const fs::path games = folder / "PSP" / "GAME";
  if (fs::is_directory(games))
    for (const auto& entry : fs::directory_iterator(games))
      if (fs::is_regular_file(entry.path() / "EBOOT.PBP")) names.push_back(entry.path().filename().string());
  if (!wanted.empty()) names = {wanted};
  if (names.empty())
    fail_with(fmt::format("{} holds neither EBOOT.PBP nor PSP/GAME/*/EBOOT.PBP", folder.string()));
  if (names.size() > 1)
    fail_with(fmt::format("{} holds {} programs; choose one with --name", games.string(), names.size()));
  const std::string path = game_path(names[0]);
  return {folder / path / "EBOOT.PBP", folder, "", "ms0:/" + path + "/EBOOT.PBP"};
}

Target find_target(const SimulateOptions& options) {
  const fs::path given = options.program;
  if (fs::is_directory(given)) return target_in_folder(given, options.name);
  if (!fs::is_regular_file(given)) fail_with(fmt::format("{} is no file and no folder", given.string()));
  const fs::path folder = fs::absolute(given).lexically_normal().parent_path();
  const fs::path game = folder.parent_path();
  if (game.filename() == "GAME" && game.parent_path().filename() == "PSP")
    return {given, game.parent_path().parent_path(), "",
            "ms0:/" + game_path(folder.filename().string()) + "/" + given.filename().string()};
  const std::string name = folder.has_filename() ? folder.filename().string() : "PROGRAM";
  return {given, folder, game_path(name), "ms0:/" + game_path(name) + "/EBOOT.PBP"};
}

// The unstripped ELF: the one named, or one that lies beside the program.
std::vector<Byte> find_symbols(const SimulateOptions& options, const Target& target) {
  if (!options.symbols.empty()) return read_file(options.symbols);
  const fs::path folder = target.program.parent_path();
  for (const char* const name : {"EBOOT.elf", "eboot.elf", "pspllm.elf", "program.elf"})
    if (fs::is_regular_file(folder / name)) return read_file(folder / name);
  return {};
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n')
      result += "\\n";
    else if (c == '\\')
      result += "\\\\";
    else
      result += c;
  }
  return result;
}

// The file beside the program that makes it run without a person.
std::string autorun_file(const SimulateOptions& options) {
  std::string text;
  if (options.autorun_prompt) text += "prompt=" + escaped(*options.autorun_prompt) + "\n";
  for (const std::string& line : options.autorun) text += line + "\n";
  return text;
}

std::optional<std::uint64_t> whole_number(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

StickFaults parse_faults(const std::vector<std::string>& faults) {
  StickFaults result;
  for (const std::string& fault : faults) {
    const std::size_t colon = fault.find(':');
    const std::string kind = fault.substr(0, colon);
    const std::string rest = colon == std::string::npos ? "" : fault.substr(colon + 1);
    const auto value = whole_number(rest);
    if (kind == "read-only") {
      result.read_only = true;
    } else if (!value) {
      fail_with(fmt::format("--fault {}: expected KIND:NUMBER", fault));
    } else if (kind == "read-fails") {
      result.failing_read = *value;
    } else if (kind == "read-short") {
      result.short_read = *value;
    } else if (kind == "stick-full") {
      result.space_bytes = *value;
    } else if (kind == "stick-removed") {
      result.removed_at = *value * second;
    } else {
      fail_with(fmt::format("--fault {}: no such fault", fault));
    }
  }
  return result;
}

std::vector<Step> read_keys(const std::string& keys) {
  std::string script = keys;
  if (keys.starts_with("@")) {
    const std::vector<Byte> bytes = read_file(keys.substr(1));
    script.assign(bytes.begin(), bytes.end());
  }
  const Result<std::vector<Step>> steps = parse_key_script(script);
  if (!steps) fail_with(steps.error().message);
  return *steps;
}

// The constants of a run: the built-in ones, then those measured, then those chosen.
Timing choose_timing(const SimulateOptions& options, const std::string& switches) {
  Timing timing = switches.starts_with("optimistic") ? optimistic_timing() : conservative_timing();
  if (!options.bench.empty()) {
    const std::vector<Byte> bytes = read_file(options.bench);
    std::size_t used = 0;
    const Result<Timing> measured = parse_bench_file(std::string(bytes.begin(), bytes.end()), timing, used);
    if (!measured) fail_with(measured.error().message);
    if (used == 0) fail_with(fmt::format("{} names no constant of the timing model", options.bench));
    timing = *measured;
  }
  std::string rest = switches;
  for (const std::string_view end : {"optimistic", "conservative", "both"})
    if (rest.starts_with(end)) rest.erase(0, end.size());
  const Result<Timing> chosen = parse_switches(rest, timing);
  if (!chosen) fail_with(chosen.error().message);
  return *chosen;
}

// One line on the terminal that is written over.
class ProgressLine {
 public:
  explicit ProgressLine(bool shown) : shown_(shown && isatty(STDERR_FILENO) != 0) {}
  ~ProgressLine() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const Machine& machine) const {
    if (!shown_) return;
    const TokenFigures figures = token_figures(machine.kernel.markers);
    fmt::print(stderr, "\r\033[K{:.2f} s modelled, {} M instructions, {} tokens", modelled_seconds(machine),
               machine.core.instructions / 1'000'000U, figures.tokens);
  }

 private:
  bool shown_;
};

struct Run {
  std::unique_ptr<HostStorage> stick;
  std::unique_ptr<OverlayStorage> overlay;
  std::unique_ptr<Machine> machine;
};

Run run_once(const SimulateOptions& options, const Target& target, const std::string& switches) {
  Run run;
  run.stick = std::make_unique<HostStorage>(target.folder, target.mount);
  run.overlay = std::make_unique<OverlayStorage>(*run.stick);
  if (const std::string autorun = autorun_file(options); !autorun.empty()) {
    const std::string folder = parent_of(target.program_path.substr(target.program_path.find('/') + 1));
    run.overlay->changes().put(folder + "/autorun.txt", autorun);
  }
  MachineOptions machine_options;
  machine_options.device = device_named(options.device).value_or(Device::psp2000);
  machine_options.timing = choose_timing(options, switches);
  machine_options.check_uninitialised = options.check_uninitialised;
  machine_options.program_path = target.program_path;
  machine_options.script = read_keys(options.keys);
  machine_options.faults = parse_faults(options.faults);
  const std::vector<Byte> program = read_file(target.program);
  const std::vector<Byte> symbols = find_symbols(options, target);
  Result<std::unique_ptr<Machine>> machine = Machine::make(program, symbols, *run.overlay, machine_options);
  if (!machine) fail_with(fmt::format("{}: {}", target.program.string(), machine.error().message));
  run.machine = std::move(*machine);
  const ProgressLine progress(!options.quiet);
  const auto limit = static_cast<Cycles>(options.max_cycles);
  while (run.machine->ending == Ending::none && !interrupted) {
    const Cycles done = run.machine->core.cycle;
    (void)run.machine->run_slice(std::min(slice_cycles, limit > done ? limit - done : 0), limit);
    progress.show(*run.machine);
  }
  return run;
}

// What the program changed on the stick goes to the folder.
void keep_changes(Run& run) {
  for (const std::string& path : run.overlay->changes().paths()) {
    if (last_name_of(path) == "autorun.txt") continue;
    std::string made;
    for (const char c : parent_of(path) + "/") {
      if (c == '/' && !made.empty() && !run.stick->status(made)) (void)run.stick->make_directory(made);
      made += c;
    }
    std::vector<Byte> content(static_cast<std::size_t>(run.overlay->changes().status(path)->size));
    (void)run.overlay->changes().read(path, 0, content);
    if (!run.stick->create(path) || (!content.empty() && !run.stick->write(path, 0, content)))
      fail_with(fmt::format("{} cannot be written to the stick's folder", path));
  }
  for (const std::string& path : run.overlay->removed())
    if (!run.overlay->changes().status(path)) (void)run.stick->remove(path);
}

void save_screenshots(const SimulateOptions& options, Machine& machine) {
  for (const std::string& path : options.screenshots)
    if (!write_png(path, machine.kernel.take_screenshot("end")))
      fail_with(fmt::format("{} cannot be written", path));
  for (const Screenshot& shot : machine.kernel.screenshots)
    if (!write_png(shot.name.ends_with(".png") ? shot.name : shot.name + ".png", shot))
      fail_with(fmt::format("screenshot {} cannot be written", shot.name));
}

struct Simulated {
  Run run;
  std::optional<Run> other;  // at optimistic constants

  [[nodiscard]] const Machine* other_machine() const { return other ? other->machine.get() : nullptr; }
};

// Runs, and leaves on the stick and in files what the options ask for, reports left out.
Simulated simulate(const SimulateOptions& options) {
  if (!device_named(options.device))
    fail_with(fmt::format("{} is no device; choose psp1000 or psp2000", options.device));
  const Target target = find_target(options);
  interrupted = false;
  const auto previous = std::signal(SIGINT, on_interrupt);
  const bool wants_both = options.switches.starts_with("both") || options.profile || !options.html.empty();
  const bool has_ends = options.switches.starts_with("both") || options.switches == "conservative";
  Simulated simulated;
  simulated.run = run_once(options, target, options.switches);
  if (wants_both && has_ends && !interrupted) simulated.other = run_once(options, target, "optimistic");
  std::signal(SIGINT, previous);
  if (!options.keep_stick) keep_changes(simulated.run);
  save_screenshots(options, *simulated.run.machine);
  return simulated;
}

}  // namespace

void run_simulate(const SimulateOptions& options) {
  const Simulated simulated = simulate(options);
  const Machine& machine = *simulated.run.machine;
  const Machine* const other = simulated.other_machine();
  if (!options.json.empty()) write_file(options.json, report_json(machine, other).dump(1));
  if (!options.html.empty()) write_file(options.html, report_html(machine, other));
  if (options.json != "-") {
    if (!machine.kernel.output.empty()) fmt::print("{}\n", machine.kernel.output);
    fmt::print("{}", report_text(machine, other, options.profile));
  }
  if (interrupted) return;
  if (!ended_well(machine.ending)) fail_with(ending_sentence(machine));
}

std::optional<nlohmann::json> simulate_report(const SimulateOptions& options) {
  const Simulated simulated = simulate(options);
  if (interrupted) return std::nullopt;
  return report_json(*simulated.run.machine, simulated.other_machine());
}

void add_simulate_options(CLI::App& command, SimulateOptions& options) {
  command
      .add_option(
          "program", options.program,
          "a stick's folder (with PSP/GAME/NAME/EBOOT.PBP), a program's folder, EBOOT.PBP, PRX or static ELF")
      ->required()
      ->type_name("STICK_DIR|EBOOT.PBP|ELF");
  command
      .add_option("--device", options.device, "the console: psp1000 (24 MB for programs) or psp2000 (51 MB)")
      ->check(CLI::IsMember({"psp1000", "psp2000"}))
      ->capture_default_str();
  command.add_option("--name", options.name, "the program's folder under PSP/GAME, when there are several");
  command.add_option("--symbols", options.symbols,
                     "an unstripped ELF of the program, for function names; default: EBOOT.elf beside it");
  command.add_option("--autorun-prompt", options.autorun_prompt,
                     "writes autorun.txt with this prompt beside the program");
  command
      .add_option("--autorun", options.autorun, "a further line of autorun.txt, such as steps=64; repeatable")
      ->type_name("KEY=VALUE");
  command
      .add_option("--keys", options.keys, "what the person does: a key script, or @FILE (docs/simulator.md)")
      ->type_name("SCRIPT");
  command.add_option("--screenshot", options.screenshots, "PNG file of the screen at the end")
      ->type_name("FILE");
  command.add_option(
      "--fault", options.faults,
      "read-fails:N, read-short:N (the Nth read), stick-full:BYTES, stick-removed:SECONDS, read-only; "
      "repeatable");
  command.add_flag("--profile", options.profile,
                   "cycles by phase, function and part; also at optimistic constants");
  command.add_option("--json", options.json, "report as JSON to a file; - for standard output")
      ->type_name("FILE");
  command.add_option("--html", options.html, "report as a page with pictures")->type_name("FILE");
  command
      .add_option("--switches", options.switches,
                  "timing constants: conservative, optimistic or both, then name=value, separated by commas")
      ->capture_default_str();
  command
      .add_option("--bench", options.bench,
                  "bench.txt that the program measured on a console: its constants are used")
      ->type_name("FILE");
  command.add_option("--max-cycles", options.max_cycles, "stop after so many cycles")->capture_default_str();
  command.add_flag("--check-uninitialised", options.check_uninitialised,
                   "report reads of memory that nobody wrote (slower)");
  command.add_flag("--keep-stick", options.keep_stick,
                   "leave the folder as it was: drop what the program wrote");
  command.add_flag("--quiet", options.quiet, "no progress line");
}

void add_simulate_command(CLI::App& app) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App& command =
      *app.add_subcommand("simulate", "Run a PSP program cycle by cycle: modelled speed, faults, profile");
  command.footer("Exit code 1 where the program does not end by itself. Figures are modelled, not measured.");
  add_simulate_options(command, *options);
  command.callback([options] { run_simulate(*options); });
}

}  // namespace pspllm::simulator
