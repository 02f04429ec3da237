#pragma once
// A whole PSP with a program in it: what the command, the tests and the bindings use.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "simulator/kernel.hpp"
#include "simulator/profile.hpp"
#include "simulator/result.hpp"
#include "simulator/storage.hpp"

namespace pspllm::simulator {

struct MachineOptions {
  Device device = Device::psp2000;
  Timing timing = conservative_timing();
  bool check_uninitialised = false;  // slower; reports reads of bytes that nobody wrote
  // The program's own path, from which it learns where its files are.
  std::string program_path = "ms0:/PSP/GAME/PspLlm/EBOOT.PBP";
  std::vector<Step> script;
  StickFaults faults;
  Address load_address = 0;  // of a relocatable program; 0: as the console chooses
  // Large partition for a program without PARAM.SFO (plain ELF, PRX).
  bool large_memory = true;
};

// Figures that the program's markers give; nothing where it set none.
struct TokenFigures {
  std::optional<double> start_seconds;        // program start to ready
  std::optional<double> first_token_seconds;  // prompt confirmed to first token
  std::optional<double> prefill_tokens_per_second;
  std::optional<double> decode_tokens_per_second;
  DoubleWord prompt_tokens = 0;
  DoubleWord tokens = 0;
};

[[nodiscard]] TokenFigures token_figures(const std::vector<MarkerRecord>& markers);

class Machine {
 public:
  // `program`: EBOOT.PBP, a PSP module (PRX) or a static ELF. `symbols`: an unstripped ELF of it, or empty.
  [[nodiscard]] static Result<std::unique_ptr<Machine>> make(std::span<const Byte> program,
                                                             std::span<const Byte> symbols, Storage& storage,
                                                             const MachineOptions& options);

  // Runs until the program ends or its clock reaches `cycle_limit`.
  Ending run(Cycles cycle_limit);

  // The same, but comes back after about `cycles` with Ending::none when the program still runs.
  Ending run_slice(Cycles cycles, Cycles cycle_limit);

  Machine(const MachineOptions& options, Word user_bytes, Storage& storage);
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  MachineOptions options;
  HazardLog hazards;
  BlockCache blocks;
  Memory memory;
  Partition partition;
  Core core;
  Kernel kernel;
  Profile profile;
  Ending ending = Ending::none;
};

}  // namespace pspllm::simulator
