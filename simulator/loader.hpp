#pragma once
// Puts a program into memory as the console's loader does: a relocatable PSP module anywhere in partition 2,
// a static ELF where it was linked.
#include <span>
#include <string>
#include <vector>

#include "simulator/memory.hpp"
#include "simulator/partition.hpp"
#include "simulator/result.hpp"
#include "simulator/symbols.hpp"
#include "simulator/words.hpp"

namespace pspllm::simulator {

// One function that the program imports.
struct Import {
  std::string library;
  Word nid = 0;
  Address stub = 0;  // two instructions that the loader fills in
};

struct Module {
  std::string name;
  Address base = 0;  // what its addresses were moved by
  Address begin = 0;
  Word size = 0;
  Address entry = 0;
  Address gp = 0;
  bool has_module_info = false;
  std::vector<Import> imports;  // in the order of their numbers: stub i makes system call i
  SymbolTable symbols;
};

// `load_address`: where a relocatable module goes; 0: as low as possible.
[[nodiscard]] Result<Module> load_module(std::span<const Byte> file, Memory& memory, Partition& partition,
                                         Address load_address = 0);

// Function names of an unstripped ELF, moved by `base`, which is 0 for a static one.
[[nodiscard]] Result<SymbolTable> read_symbols(std::span<const Byte> file, Address base);

}  // namespace pspllm::simulator
