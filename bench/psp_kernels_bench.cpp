// Modelled cycles of the PSP's kernels: runs the program bench/psp/kernels.cpp in the simulator and prints
// each kernel beside the scalar reference; compares with recorded figures or records them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench/psp_measured.hpp"
#include "simulator/machine.hpp"
#include "simulator/storage.hpp"
#include "tests/support/read_file.hpp"

namespace pspllm::simulator {
namespace {

constexpr Cycles most_cycles = 4'000'000'000;

struct Options {
  std::string program;
  std::string eboot;
  std::string portable_eboot;
  std::string reference_eboot;
  std::string model;
  std::string json;
  std::string recorded;
  bool record = false;
  double tolerance_percent = 3.0;
};

/// Constants with which nothing waits: results are there at once, memory and branches cost nothing. What is
/// left is one cycle an instruction and the cycles for which an operation occupies its unit.
Timing issue_timing() {
  Timing timing = conservative_timing();
  for (const ConstantInfo& row : constant_table) {
    if (row.name.ends_with("_latency") && row.key != Constant::divide_latency) timing.set(row.key, 1);
    if (row.name.starts_with("fill_") || row.name.ends_with("_extra") || row.name.ends_with("_bubbles")) {
      timing.set(row.key, 0);
    }
  }
  for (const Constant none : {Constant::dirty_eviction_cycles, Constant::vblank_interrupt_cycles}) {
    timing.set(none, 0);
  }
  return timing;
}

/// Every kernel of the program in the order of its calls, by the markers that name them "SET/KERNEL".
std::vector<Measured> run_program(const std::string& path, const Timing& timing) {
  MemoryStorage stick;
  MachineOptions options;
  options.timing = timing;
  // Whether a frame's interrupt falls into a short kernel is chance.
  options.timing.set(Constant::vblank_interrupt_cycles, 0);
  const Result<std::unique_ptr<Machine>> made =
      Machine::make(testing::read_file<std::vector<Byte>>(path), {}, stick, options);
  if (!made) throw std::runtime_error(made.error().message);
  Machine& machine = **made;
  machine.kernel.set_clock(333, 166);
  std::vector<Measured> measured;
  Measured begin;
  machine.kernel.on_marker = [&](const MarkerRecord& marker) {
    constexpr std::size_t longest_name = 64;
    const DoubleWord line_fills = machine.core.data_cache.statistics.data_fills();
    if (marker.kind == MarkerKind::phase_begin) {
      std::string name;
      static_cast<void>(machine.memory.read_string(marker.value, longest_name, name));
      const std::size_t slash = name.find('/');
      begin = {name.substr(0, slash), name.substr(slash + 1), marker.cycle, line_fills};
    } else if (marker.kind == MarkerKind::phase_end) {
      measured.push_back(
          {begin.set, begin.kernel, marker.cycle - begin.cycles, line_fills - begin.line_fills});
    }
  };
  if (machine.run(most_cycles) != Ending::returned) {
    throw std::runtime_error("the program did not end by itself: " + machine.kernel.ending_reason);
  }
  return measured;
}

/// Cycles a token of the whole program, reading a prompt and writing.
std::vector<Measured> run_eboot(const std::string& set, const std::string& path, const std::string& model,
                                const Timing& timing) {
  const std::string folder = "PSP/GAME/PspLlm/";
  MemoryStorage stick;
  const std::vector<Byte> eboot = testing::read_file<std::vector<Byte>>(path);
  stick.put(folder + "EBOOT.PBP", eboot);
  stick.put(folder + "model.bin", testing::read_file<std::vector<Byte>>(model + "/model.bin"));
  stick.put(folder + "tokenizer.bin", testing::read_file<std::vector<Byte>>(model + "/tokenizer.bin"));
  stick.put(folder + "autorun.txt",
            std::string_view("prompt=Once upon a time, there was a little girl named Lily.\n"
                             "steps=32\ntemperature=0\nseed=1\n"));
  MachineOptions machine_options;
  machine_options.timing = timing;
  machine_options.device = Device::psp1000;
  const Result<std::unique_ptr<Machine>> made = Machine::make(eboot, {}, stick, machine_options);
  if (!made) throw std::runtime_error(made.error().message);
  Machine& machine = **made;
  machine.run(most_cycles);
  const TokenFigures figures = token_figures(machine.kernel.markers);
  if (!figures.prefill_tokens_per_second || !figures.decode_tokens_per_second) {
    throw std::runtime_error(path + " wrote nothing: " + machine.kernel.ending_reason);
  }
  const auto a_token = [&](const char* kernel, double tokens_per_second, Phase phase, DoubleWord tokens) {
    const PhaseTotals& totals = machine.profile.phases()[static_cast<std::size_t>(phase)];
    return Measured{set, kernel, static_cast<Cycles>(modelled_megahertz * 1e6 / tokens_per_second),
                    totals.memory.data_fills() / std::max<DoubleWord>(tokens, 1)};
  };
  return {
      a_token("prefill, a token", *figures.prefill_tokens_per_second, Phase::prefill, figures.prompt_tokens),
      a_token("decode, a token", *figures.decode_tokens_per_second, Phase::decode, figures.tokens)};
}

void append(std::vector<Measured>& measured, const std::vector<Measured>& more) {
  measured.insert(measured.end(), more.begin(), more.end());
}

/// The kernels, and the program that people run.
std::vector<Measured> run_all(const Options& options, const Timing& timing) {
  std::vector<Measured> measured = run_program(options.program, timing);
  if (!options.eboot.empty()) append(measured, run_eboot("vfpu", options.eboot, options.model, timing));
  return measured;
}

nlohmann::json to_json(const std::vector<Measured>& measured) {
  nlohmann::json result = nlohmann::json::object();
  for (const Measured& one : measured) result[one.name()] = one.cycles;
  return result;
}

/// Exit code.
int compare(const std::vector<Measured>& measured, const Options& options) {
  std::ifstream file(options.recorded);
  const nlohmann::json recorded = nlohmann::json::parse(file);
  int result = 0;
  for (const Measured& one : measured) {
    if (!recorded.contains(one.name())) {
      fmt::print("{}: no figure in {}; record it with --record\n", one.name(), options.recorded);
      result = 1;
      continue;
    }
    const double before = recorded[one.name()].get<double>();
    const double percent = (static_cast<double>(one.cycles) / before - 1.0) * 100.0;
    if (percent > options.tolerance_percent) {
      fmt::print("{}: {} cycles, {:.1f} % more than the recorded {}\n", one.name(), one.cycles, percent,
                 before);
      result = 1;
    }
  }
  return result;
}

int run(const Options& options) {
  Figures figures;
  figures.conservative = run_all(options, conservative_timing());
  if (options.record) {
    const nlohmann::json recorded = to_json(figures.conservative);
    std::ofstream(options.recorded) << recorded.dump(2) << '\n';
    fmt::print("recorded {} figures in {}\n", recorded.size(), options.recorded);
    return 0;
  }
  if (!options.recorded.empty()) return compare(figures.conservative, options);
  for (const auto& [set, eboot] :
       {std::pair{"portable", options.portable_eboot}, std::pair{"reference", options.reference_eboot}}) {
    if (!eboot.empty()) {
      append(figures.conservative, run_eboot(set, eboot, options.model, conservative_timing()));
    }
  }
  figures.optimistic = run_all(options, optimistic_timing());
  figures.issue = run_all(options, issue_timing());
  if (!options.json.empty()) {
    const nlohmann::json all = {{"megahertz", modelled_megahertz},
                                {"conservative", to_json(figures.conservative)},
                                {"optimistic", to_json(figures.optimistic)},
                                {"issue", to_json(figures.issue)}};
    std::ofstream(options.json) << all.dump(2) << '\n';
  }
  print_table(figures);
  return 0;
}

}  // namespace
}  // namespace pspllm::simulator

int main(int argc, char** argv) {
  pspllm::simulator::Options options;
  CLI::App app("Modelled cycles of the PSP's kernels. Figures are modelled, not measured.");
  app.add_option("program", options.program, "the program: build/psp/kernels_bench.elf")->required();
  app.add_option("--eboot", options.eboot, "EBOOT.PBP: whole tokens too");
  app.add_option("--portable-eboot", options.portable_eboot, "the same with the portable kernels")
      ->needs("--eboot");
  app.add_option("--reference-eboot", options.reference_eboot, "the same with the reference kernels")
      ->needs("--eboot");
  app.add_option("--model", options.model, "the folder of its model.bin and tokenizer.bin")->needs("--eboot");
  app.add_option("--json", options.json, "figures as JSON to a file");
  app.add_option("--recorded", options.recorded,
                 "JSON of recorded figures: exit code 1 where a kernel takes more than --tolerance longer");
  app.add_flag("--record", options.record, "write --recorded instead of comparing");
  app.add_option("--tolerance", options.tolerance_percent, "per cent")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    return pspllm::simulator::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "psp_kernels_bench: {}\n", error.what());
    return 1;
  }
}
