// What the platform's start-up code calls: the program itself.
#pragma once

#include "psp/platform/path.hpp"

namespace pspllm::psp {

struct ProgramArguments {
  Path program_file;  ///< "ms0:/PSP/GAME/PspLlm/EBOOT.PBP"; empty when the system does not say.
  Path folder;        ///< Its folder; "ms0:/PSP/GAME/PspLlm" when the system does not say.
};

/// Defined by the program (one definition an EBOOT). Runs on the main thread, which has the VFPU, no
/// floating-point traps, `main_stack_bytes` of stack and `folder` as its current folder. Returning leaves to
/// the system's menu.
void run_program(const ProgramArguments& arguments);

/// Stack of the main thread in bytes.
constexpr unsigned main_stack_bytes = 128 * 1024;

}  // namespace pspllm::psp
