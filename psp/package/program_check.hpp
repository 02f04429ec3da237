// Proof that a linked program keeps the rules of the console: no heap, no double arithmetic, no instruction
// that the Allegrex lacks.
#pragma once

#include <string>
#include <vector>

#include "psp/package/elf32.hpp"

namespace pspllm::package {

/// What was looked at, and every broken rule as a sentence.
struct ProgramReport {
  std::uint32_t instructions = 0;
  std::uint32_t symbols = 0;
  std::vector<std::string> violations;  ///< At most max_listed_violations; `violation_count` counts all.
  std::uint32_t violation_count = 0;
};

constexpr std::size_t max_listed_violations = 20;

/// Decodes every word of the executable sections and looks through the symbol table:
/// * an instruction that is not in allegrex_opcodes.hpp;
/// * a comparison of the FPU followed at once by a branch on it;
/// * a heap function (malloc, free, sbrk, operator new, ...) or a software floating-point function on
/// doubles. A program without a symbol table cannot be proved and is refused.
[[nodiscard]] Result<ProgramReport> check_program(const ElfFile& elf);

/// Whether a program of ours must not have this symbol: heap functions, or libgcc's arithmetic on doubles.
[[nodiscard]] bool is_forbidden_symbol(std::string_view name);

}  // namespace pspllm::package
