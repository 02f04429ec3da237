// Import stubs: what the linker sees of the system's functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "psp/package/result.hpp"

namespace pspllm::package {

/// One system library and the functions imported from it.
struct ImportLibrary {
  std::string name;
  std::uint32_t flags = 0;
  std::vector<std::string> functions;
};

/// Reads a table of imports: one line a library, `NAME FLAGS FUNCTION...`, separated by blanks; `#` begins a
/// comment. Refuses what the assembler or the console could misread: odd names, a function or a library named
/// twice.
[[nodiscard]] Result<std::vector<ImportLibrary>> parse_imports(std::string_view text);

/// GNU assembler source of the stubs: the marker symbols of the import and export tables, a name and an entry
/// a library in .lib.stub (20 bytes: name, flags, 5, 0, count, NIDs, stubs), the NIDs in .rodata.sceNid and a
/// stub of two words a function in .sceStub.text, which the loader overwrites with a jump into the system.
[[nodiscard]] std::string assemble_stubs(const std::vector<ImportLibrary>& libraries);

}  // namespace pspllm::package
