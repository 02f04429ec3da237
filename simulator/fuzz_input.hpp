#pragma once
// What the fuzz target feeds the simulator: files, code and scripts that nobody checked. None may crash it or
// hang it.
#include <span>

#include "simulator/words.hpp"

namespace pspllm::simulator {

// The first byte chooses what the rest is: a program file, instruction words, instruction words for the VFPU,
// or a key script, a set of switches and a bench file.
void run_fuzz_input(std::span<const Byte> input);

}  // namespace pspllm::simulator
