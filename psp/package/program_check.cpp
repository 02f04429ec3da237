#include "psp/package/program_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "psp/package/allegrex_opcodes.hpp"

namespace pspllm::package {
namespace {

using namespace std::string_view_literals;

constexpr auto heap_functions =
    std::to_array<std::string_view>({"malloc"sv, "calloc"sv, "realloc"sv, "free"sv, "memalign"sv,
                                     "aligned_alloc"sv, "posix_memalign"sv, "sbrk"sv, "_sbrk"sv, "strdup"sv});

/// Mangled beginnings of operator new, new[], delete, delete[].
constexpr auto heap_operators = std::to_array<std::string_view>({"_Znw"sv, "_Zna"sv, "_Zdl"sv, "_Zda"sv});

void add_violation(ProgramReport& report, std::string sentence) {
  ++report.violation_count;
  if (report.violations.size() < max_listed_violations) report.violations.push_back(std::move(sentence));
}

void check_code(const ElfFile& elf, const ElfSection& section, ProgramReport& report) {
  const ByteView bytes = elf.section_bytes(section);
  bool after_compare = false;
  for (std::size_t at = 0; contains_range(bytes, at, 4); at += 4) {
    const std::uint32_t word = read_u32(bytes, at);
    const std::size_t address = section.address + at;
    ++report.instructions;
    if (instruction_name(word).empty()) {
      add_violation(report, fmt::format("The word {:08x} at {:#x} ({}) is no instruction of the Allegrex.",
                                        word, address, section.name));
    }
    if (after_compare && is_fpu_branch(word)) {
      add_violation(
          report, fmt::format("The branch at {:#x} ({}) comes right after its comparison, which the Allegrex "
                              "does not wait for.",
                              address, section.name));
    }
    after_compare = is_fpu_compare(word);
  }
}

}  // namespace

bool is_forbidden_symbol(std::string_view name) {
  if (std::find(heap_functions.begin(), heap_functions.end(), name) != heap_functions.end()) return true;
  if (std::any_of(heap_operators.begin(), heap_operators.end(),
                  [&](std::string_view begin) { return name.starts_with(begin); })) {
    return true;
  }
  // libgcc's names: __adddf3, __extendsfdf2, __floatsidf, __fixdfsi, __ltdf2, ...
  return name.starts_with("__") && name.find("df") != std::string_view::npos &&
         std::all_of(name.begin() + 2, name.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
}

Result<ProgramReport> check_program(const ElfFile& elf) {
  ProgramReport report;
  bool has_symbols = false;
  for (const ElfSection& section : elf.sections) {
    if (section.is_loaded() && (section.flags & section_flag_execute) != 0) check_code(elf, section, report);
    if (section.type != section_symbols) continue;
    const auto symbols = read_symbols(elf, section);
    if (!symbols.ok()) return symbols.failure();
    has_symbols = symbols.value().size() > 1;
    for (const ElfSymbol& symbol : symbols.value()) {
      ++report.symbols;
      if (is_forbidden_symbol(symbol.name)) {
        add_violation(report, fmt::format("The program has the symbol \"{}\".", symbol.name));
      }
    }
  }
  if (report.instructions == 0) return Failure{"This ELF file holds no code."};
  if (!has_symbols) return Failure{"This ELF file has no symbol table, so nothing can be proved about it."};
  return report;
}

}  // namespace pspllm::package
