// Where the program begins on the console: takes the memory, then runs the application.
#include "engine/model/console_memory.hpp"
#include "psp/benchmark/loops.hpp"
#include "psp/platform/exit.hpp"
#include "psp/platform/memory_block.hpp"
#include "psp/platform/program.hpp"
#include "psp/program/application.hpp"
#include "psp/program/kernels.hpp"
#include "psp/program/program_size.hpp"
#include "psp/program/psp_console.hpp"
#include "psp/program/psp_stick.hpp"
#include "psp/screens/message_screen.hpp"

namespace pspllm::psp {
namespace {

PspConsole console;
PspStick stick;
ProgramState state(console, stick, program_kernels());
const LoopSet loops = console_loops();

/// The whole of the largest block but what is kept back.
Status take_memory() {
  const std::size_t largest = largest_free_block();
  return allocate_block(largest > console_kept_back_bytes ? largest - console_kept_back_bytes : largest,
                        state.block);
}

}  // namespace

void run_program(const ProgramArguments& arguments) {
  state.started_us = console.now_us();
  state.folder = arguments.folder;
  state.memory.program_bytes = program_bytes();
  state.benchmark_loops = &loops;
  console.start();
  if (Status status = take_memory(); !status.ok()) {
    show_message(state,
                 {"There is no memory for a model", status.sentence.view(),
                  "Restart the console without plugins that take memory, then try again."},
                 "leave");
    return;
  }
  run_application(state);
}

}  // namespace pspllm::psp
