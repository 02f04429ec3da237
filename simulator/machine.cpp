#include "simulator/machine.hpp"

#include <algorithm>

#include "simulator/pbp.hpp"

namespace pspllm::simulator {

namespace {

double seconds_of(Picoseconds time) {
  return static_cast<double>(time) / static_cast<double>(second);
}

// One answer: its prompt and its tokens.
struct Answer {
  Picoseconds begin = 0;
  Picoseconds prompt_end = 0;
  Picoseconds first_token = 0;
  Picoseconds last_token = 0;
  DoubleWord prompt_tokens = 0;
  DoubleWord tokens = 0;
};

std::vector<Answer> answers_of(const std::vector<MarkerRecord>& markers) {
  std::vector<Answer> answers;
  for (const MarkerRecord& marker : markers) {
    if (marker.kind == MarkerKind::prompt_begin) {
      answers.emplace_back();
      answers.back().begin = marker.time;
      answers.back().prompt_tokens = marker.value;
    }
    if (answers.empty()) continue;
    Answer& answer = answers.back();
    if (marker.kind == MarkerKind::prompt_end) answer.prompt_end = marker.time;
    if (marker.kind == MarkerKind::token) {
      if (answer.tokens++ == 0) answer.first_token = marker.time;
      answer.last_token = marker.time;
    }
  }
  return answers;
}

}  // namespace

TokenFigures token_figures(const std::vector<MarkerRecord>& markers) {
  TokenFigures figures;
  for (const MarkerRecord& marker : markers) {
    if (marker.kind != MarkerKind::ready) continue;
    figures.start_seconds = seconds_of(marker.time);
    break;
  }
  Picoseconds prefill_time = 0;
  Picoseconds decode_time = 0;
  DoubleWord prefilled = 0;
  DoubleWord decoded = 0;
  for (const Answer& answer : answers_of(markers)) {
    figures.prompt_tokens += answer.prompt_tokens;
    figures.tokens += answer.tokens;
    if (answer.tokens != 0 && !figures.first_token_seconds)
      figures.first_token_seconds = seconds_of(answer.first_token - answer.begin);
    if (answer.prompt_end > answer.begin) {
      prefill_time += answer.prompt_end - answer.begin;
      prefilled += answer.prompt_tokens;
    }
    if (answer.tokens > 1) {
      decode_time += answer.last_token - answer.first_token;
      decoded += answer.tokens - 1;
    }
  }
  if (prefill_time != 0)
    figures.prefill_tokens_per_second = static_cast<double>(prefilled) / seconds_of(prefill_time);
  if (decode_time != 0)
    figures.decode_tokens_per_second = static_cast<double>(decoded) / seconds_of(decode_time);
  return figures;
}

Machine::Machine(const MachineOptions& options_in, Word user_bytes, Storage& storage)
    : options(options_in),
      blocks(options_in.check_uninitialised),
      memory(model_of(options_in.device), user_bytes),
      partition(user_base + user_reserved_bytes, user_bytes - user_reserved_bytes),
      core(memory, hazards, blocks, options_in.timing),
      kernel(core, memory, partition, storage),
      profile(kernel) {
  if (options.check_uninitialised) memory.track_definedness();
  core.unaligned_vfpu_load_corrupts_fpu = model_of(options.device).unaligned_vfpu_load_corrupts_fpu;
  kernel.stick.faults = options.faults;
  kernel.set_script(options.script);
  kernel.on_marker = [this](const MarkerRecord& marker) { profile.note(marker); };
  kernel.on_blocks_full = [this] { profile.collect(); };
}

Result<std::unique_ptr<Machine>> Machine::make(std::span<const Byte> program, std::span<const Byte> symbols,
                                               Storage& storage, const MachineOptions& options) {
  std::span<const Byte> executable = program;
  bool large = options.large_memory;
  if (is_pbp(program)) {
    const Result<Pbp> pbp = parse_pbp(program);
    if (!pbp) return pbp.error();
    executable = pbp->program;
    large = pbp->wants_large_memory();
  }
  const DeviceModel& model = model_of(options.device);
  auto machine =
      std::make_unique<Machine>(options, large ? model.large_user_bytes : model.user_bytes, storage);
  Result<Module> module = load_module(executable, machine->memory, machine->partition, options.load_address);
  if (!module) return module.error();
  if (!symbols.empty()) {
    Result<SymbolTable> table = read_symbols(symbols, module->base);
    if (!table) return table.error();
    module->symbols = std::move(*table);
  }
  machine->kernel.start(*module, options.program_path);
  return machine;
}

Ending Machine::run(Cycles cycle_limit) {
  return run_slice(~Cycles{0}, cycle_limit);
}

Ending Machine::run_slice(Cycles cycles, Cycles cycle_limit) {
  const Cycles until =
      cycles < cycle_limit - std::min(core.cycle, cycle_limit) ? core.cycle + cycles : cycle_limit;
  ending = kernel.run(until, cycle_limit);
  profile.collect();
  return ending;
}

}  // namespace pspllm::simulator
