// Measures this console: what the simulator's timing model is unsure of, the kernels, the stick.
#pragma once

#include "psp/program/program_state.hpp"

namespace pspllm::psp {

/// Whether there is anything to measure with: only the console's own program has it.
[[nodiscard]] bool can_benchmark(const ProgramState& state);

/// Asks, measures with progress, shows the results and saves bench.txt. The model's memory is used:
/// state.model is not ready afterwards, unless the person changed their mind.
void show_benchmark(ProgramState& state);

/// The same without asking and without waiting at the end. Fails where nothing can be measured or saved, or
/// the person stopped it.
[[nodiscard]] Status run_benchmark_unattended(ProgramState& state);

}  // namespace pspllm::psp
