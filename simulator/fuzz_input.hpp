#pragma once
// What fuzzing feeds the simulator (fuzz/, fuzz_test.cpp): files, code and scripts that nobody checked. None
// may crash it or hang it.
#include <span>
#include <vector>

#include "simulator/words.hpp"

namespace pspllm::simulator {

// A module that opens and reads a file, as a PBP: what mutations begin with.
[[nodiscard]] std::vector<Byte> small_program();

// An EBOOT.PBP, module or ELF: refused with a sentence, or run for a while and reported on.
void run_program_input(std::span<const Byte> file, bool check_uninitialised);
// Instruction words; `vector_unit`: moved to where the VFPU's instructions are.
void run_code_input(std::span<const Byte> words, bool vector_unit);
// A key script, a set of switches and a bench file.
void run_text_input(std::span<const Byte> text);

}  // namespace pspllm::simulator
