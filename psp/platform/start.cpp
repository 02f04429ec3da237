// Start-up: what the system's loader looks for in the module, and the main thread.
#include <cstdint>

#include "psp/platform/exit.hpp"
#include "psp/platform/files.hpp"
#include "psp/platform/program.hpp"
#include "psp/platform/psp_api.hpp"
#include "psp/platform/thread.hpp"

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): defined by the linker script, and by the import stubs.
extern char _gp[];
extern char __lib_ent_top[];
extern char __lib_ent_bottom[];
extern char __lib_stub_top[];
extern char __lib_stub_bottom[];
using Initializer = void (*)();
extern const Initializer __init_array_start[];
extern const Initializer __init_array_end[];
// NOLINTEND(bugprone-reserved-identifier)

std::int32_t module_start(std::uint32_t argument_bytes, void* arguments);

/// Module information: attributes (0: user mode), version, name, and where the tables lie.
struct ModuleInfo {
  std::uint16_t attributes;
  std::uint8_t version[2];
  char name[28];
  void* gp;
  void* exports_begin;
  void* exports_end;
  void* imports_begin;
  void* imports_end;
};
static_assert(sizeof(ModuleInfo) == 52);

extern const ModuleInfo module_info;
__attribute__((section(".rodata.sceModuleInfo"), aligned(16), used)) const ModuleInfo module_info = {
    0, {1, 1}, "PspLlm", _gp, __lib_ent_top, __lib_ent_bottom, __lib_stub_top, __lib_stub_bottom};
}

namespace pspllm::psp {
namespace {

/// The module's own exports: numbers and addresses of module_start and module_info.
struct ExportTable {
  std::uint32_t numbers[2];
  const void* addresses[2];
};
constexpr std::uint32_t number_module_start = 0xD632ACDB;
constexpr std::uint32_t number_module_info = 0xF01D73A7;

__attribute__((section(".rodata.sceResident"), used)) const ExportTable export_table = {
    {number_module_start, number_module_info}, {reinterpret_cast<const void*>(&module_start), &module_info}};

/// One entry of the table of exported libraries: the nameless one that every module has.
struct ExportedLibrary {
  const char* name;
  std::uint16_t version;
  std::uint16_t attributes;
  std::uint8_t entry_words;
  std::uint8_t variables;
  std::uint16_t functions;
  const ExportTable* table;
};
constexpr std::uint16_t attribute_system_library = 0x8000;

__attribute__((section(".lib.ent"), used))
const ExportedLibrary exported_library = {nullptr, 0, attribute_system_library, 4, 1, 1, &export_table};

/// What the main thread is given: the loader's argument block begins with the path of the EBOOT.
ProgramArguments parse_arguments(std::uint32_t argument_bytes, const void* arguments) {
  ProgramArguments parsed;
  const auto* const text = static_cast<const char*>(arguments);
  std::uint32_t length = 0;
  while (text != nullptr && length < argument_bytes && text[length] != '\0') ++length;
  parsed.program_file.append(std::string_view(text, length));
  parsed.folder.append(folder_of(parsed.program_file.view()));
  if (parsed.folder.empty()) parsed.folder.append("ms0:/PSP/GAME/PspLlm");
  return parsed;
}

std::int32_t run_main_thread(std::uint32_t argument_bytes, void* arguments) {
  disable_fpu_exceptions();
  for (const Initializer* initialize = __init_array_start; initialize != __init_array_end; ++initialize) {
    (*initialize)();
  }
  const ProgramArguments parsed = parse_arguments(argument_bytes, arguments);
  // Without the callback thread HOME does nothing; without its folder the program says so when it opens a
  // file.
  (void)start_system_callbacks();
  (void)set_current_folder(parsed.folder);
  run_program(parsed);
  leave_program();
}

}  // namespace
}  // namespace pspllm::psp

/// Called by the system with the loader's arguments; must return quickly.
extern "C" std::int32_t module_start(std::uint32_t argument_bytes, void* arguments) {
  using namespace pspllm::psp;  // NOLINT(google-build-using-namespace)
  const Uid thread = sceKernelCreateThread("main", run_main_thread, main_thread_priority, main_stack_bytes,
                                           api::thread_attribute_user | api::thread_attribute_vfpu, nullptr);
  return thread < 0 ? thread : sceKernelStartThread(thread, argument_bytes, arguments);
}
