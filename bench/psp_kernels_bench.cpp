// Modelled cycles of the PSP's kernels: runs the program bench/psp/kernels.cpp in the simulator and prints
// each kernel beside the scalar reference; compares with recorded figures or records them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "simulator/machine.hpp"
#include "simulator/storage.hpp"

namespace pspllm::simulator {
namespace {

constexpr double megahertz = 333.0;
constexpr Cycles most_cycles = 4'000'000'000;

struct Options {
  std::string program;
  std::string eboot;
  std::string model;
  std::string json;
  std::string recorded;
  bool record = false;
  double tolerance_percent = 3.0;
};

/// What one call of a kernel takes, by "SET/KERNEL" in the order of the program.
struct Measured {
  std::string name;
  Cycles cycles = 0;
};

std::vector<Byte> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + " cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<Measured> run_program(const std::string& path, const Timing& timing) {
  MemoryStorage stick;
  MachineOptions options;
  options.timing = timing;
  // Whether a frame's interrupt falls into a short kernel is chance.
  options.timing.set(Constant::vblank_interrupt_cycles, 0);
  const Result<std::unique_ptr<Machine>> made = Machine::make(read_file(path), {}, stick, options);
  if (!made) throw std::runtime_error(made.error().message);
  Machine& machine = **made;
  machine.kernel.set_clock(333, 166);
  std::vector<Measured> measured;
  Cycles begin = 0;
  machine.kernel.on_marker = [&](const MarkerRecord& marker) {
    constexpr std::size_t longest_name = 64;
    if (marker.kind == MarkerKind::phase_begin) {
      std::string name;
      static_cast<void>(machine.memory.read_string(marker.value, longest_name, name));
      measured.push_back({name, 0});
      begin = marker.cycle;
    } else if (marker.kind == MarkerKind::phase_end) {
      measured.back().cycles = marker.cycle - begin;
    }
  };
  if (machine.run(most_cycles) != Ending::returned) {
    throw std::runtime_error("the program did not end by itself: " + machine.kernel.ending_reason);
  }
  return measured;
}

/// Cycles a token of the whole program, reading a prompt and writing.
std::vector<Measured> run_eboot(const Options& options, const Timing& timing) {
  const std::string folder = "PSP/GAME/PspLlm/";
  MemoryStorage stick;
  const std::vector<Byte> eboot = read_file(options.eboot);
  stick.put(folder + "EBOOT.PBP", eboot);
  stick.put(folder + "model.bin", read_file(options.model + "/model.bin"));
  stick.put(folder + "tokenizer.bin", read_file(options.model + "/tokenizer.bin"));
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
    throw std::runtime_error("the EBOOT wrote nothing: " + machine.kernel.ending_reason);
  }
  const auto cycles = [](double tokens_per_second) {
    return static_cast<Cycles>(megahertz * 1e6 / tokens_per_second);
  };
  return {{"program/prefill, a token", cycles(*figures.prefill_tokens_per_second)},
          {"program/decode, a token", cycles(*figures.decode_tokens_per_second)}};
}

std::vector<Measured> run_all(const Options& options, const Timing& timing) {
  std::vector<Measured> measured = run_program(options.program, timing);
  if (options.eboot.empty()) return measured;
  for (const Measured& one : run_eboot(options, timing)) measured.push_back(one);
  return measured;
}

nlohmann::json to_json(const std::vector<Measured>& measured) {
  nlohmann::json result = nlohmann::json::object();
  for (const Measured& one : measured) result[one.name] = one.cycles;
  return result;
}

/// Multiply-adds or elements of a kernel by its name: "matmul_q80 768x288 8 tokens", "rmsnorm 288".
double amount_of(const std::string& kernel) {
  unsigned a = 1;
  unsigned b = 1;
  unsigned tokens = 1;
  const std::size_t at = kernel.find(' ');
  if (at == std::string::npos) return 1;
  const int found = std::sscanf(kernel.c_str() + at, " %ux%u %u", &a, &b, &tokens);
  return found < 1 ? 1.0 : static_cast<double>(a) * b * tokens;
}

void print_table(const std::vector<Measured>& measured, const std::vector<Measured>& optimistic) {
  std::map<std::string, Cycles> reference;
  for (const Measured& one : measured) {
    if (one.name.starts_with("reference/")) reference[one.name.substr(one.name.find('/'))] = one.cycles;
  }
  fmt::print("{:<40} {:>12} {:>12} {:>12} {:>12}\n", "modelled, PSP at 333/166 MHz", "cycles", "a unit",
             "optimistic", "x reference");
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const Measured& one = measured[i];
    const std::string kernel = one.name.substr(one.name.find('/'));
    const double amount = amount_of(kernel);
    const auto cycles = static_cast<double>(one.cycles);
    const auto found = reference.find(kernel);
    fmt::print(
        "{:<40} {:>12} {:>12.3f} {:>12.3f} {:>12}\n", one.name, one.cycles, cycles / amount,
        static_cast<double>(optimistic[i].cycles) / amount,
        found == reference.end() ? "" : fmt::format("{:.1f}", static_cast<double>(found->second) / cycles));
  }
}

/// Exit code.
int compare(const std::vector<Measured>& measured, const Options& options) {
  std::ifstream file(options.recorded);
  const nlohmann::json recorded = nlohmann::json::parse(file);
  int result = 0;
  for (const Measured& one : measured) {
    if (!recorded.contains(one.name)) {
      fmt::print("{}: no figure in {}; record it with --record\n", one.name, options.recorded);
      result = 1;
      continue;
    }
    const double before = recorded[one.name].get<double>();
    const double percent = (static_cast<double>(one.cycles) / before - 1.0) * 100.0;
    if (percent > options.tolerance_percent) {
      fmt::print("{}: {} cycles, {:.1f} % more than the recorded {}\n", one.name, one.cycles, percent,
                 before);
      result = 1;
    }
  }
  return result;
}

int run(const Options& options) {
  const std::vector<Measured> measured = run_all(options, conservative_timing());
  const nlohmann::json figures = to_json(measured);
  if (options.record) {
    std::ofstream(options.recorded) << figures.dump(2) << '\n';
    fmt::print("recorded {} figures in {}\n", figures.size(), options.recorded);
    return 0;
  }
  if (!options.recorded.empty()) return compare(measured, options);
  const std::vector<Measured> optimistic = run_all(options, optimistic_timing());
  if (!options.json.empty()) {
    const nlohmann::json both = {
        {"megahertz", megahertz}, {"conservative", figures}, {"optimistic", to_json(optimistic)}};
    std::ofstream(options.json) << both.dump(2) << '\n';
  }
  print_table(measured, optimistic);
  return 0;
}

}  // namespace
}  // namespace pspllm::simulator

int main(int argc, char** argv) {
  pspllm::simulator::Options options;
  CLI::App app("Modelled cycles of the PSP's kernels. Figures are modelled, not measured.");
  app.add_option("program", options.program, "the program: build/psp/kernels_bench.elf")->required();
  app.add_option("--eboot", options.eboot, "EBOOT.PBP: whole tokens too");
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
