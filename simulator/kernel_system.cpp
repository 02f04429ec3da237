// Small services that programs call and that change nothing here: interrupts, the HOME menu's lock, modules.
#include "simulator/kernel.hpp"

namespace pspllm::simulator {

namespace {

// One thread runs at a time and calls are atomic, so interrupts need not be kept off.
void suspend_interrupts(Kernel& kernel) {
  kernel.set_result(1);
}
void accept(Kernel& kernel) {
  kernel.set_result(result_code::ok);
}
void interrupts_enabled(Kernel& kernel) {
  kernel.set_result(1);
}

void unload_self(Kernel& kernel) {
  kernel.stop(Ending::exit_game, "the module unloaded itself");
}

constexpr std::string_view kernel_library = "Kernel_Library";
constexpr std::string_view impose = "sceImpose";
constexpr std::string_view modules = "ModuleMgrForUser";

constexpr ServiceEntry entries[] = {
    {kernel_library, "sceKernelCpuSuspendIntr", suspend_interrupts},
    {kernel_library, "sceKernelCpuResumeIntr", accept},
    {kernel_library, "sceKernelCpuResumeIntrWithSync", accept},
    {kernel_library, "sceKernelIsCpuIntrEnable", interrupts_enabled},
    {impose, "sceImposeSetHomePopup", accept},
    {impose, "sceImposeGetHomePopup", accept},
    {modules, "sceKernelSelfStopUnloadModule", unload_self},
    {modules, "sceKernelStopUnloadSelfModule", unload_self},
};

}  // namespace

std::span<const ServiceEntry> system_services() {
  return entries;
}

}  // namespace pspllm::simulator
