// A line to the system's standard output: an emulator's log, or a debugger's console; nothing on a plain
// console.
#pragma once

#include <string_view>

namespace pspllm::psp {

/// Writes `line` and a newline.
void log_line(std::string_view line);

}  // namespace pspllm::psp
