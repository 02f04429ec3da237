#include "psp/platform/thread.hpp"

#include <cstdint>

#include "psp/platform/psp_api.hpp"

namespace pspllm::psp {
namespace {

/// What the kernel copies onto the new thread's stack.
struct ThreadStart {
  void (*entry)(void*);
  void* argument;
};

std::int32_t run_thread(std::uint32_t /*argument_bytes*/, void* arguments) {
  disable_fpu_exceptions();
  const ThreadStart start = *static_cast<const ThreadStart*>(arguments);
  start.entry(start.argument);
  return sceKernelExitDeleteThread(0);
}

}  // namespace

void disable_fpu_exceptions() {
  asm volatile("ctc1 $zero, $31");
}

Status start_thread(const char* name, int priority, std::size_t stack_bytes, void (*entry)(void*),
                    void* argument) {
  const Uid thread =
      sceKernelCreateThread(name, run_thread, priority, static_cast<std::uint32_t>(stack_bytes),
                            api::thread_attribute_user | api::thread_attribute_vfpu, nullptr);
  if (thread < 0) return failure("Cannot create the thread", name, thread);
  const ThreadStart start{entry, argument};
  const std::int32_t code = sceKernelStartThread(thread, sizeof(start), &start);
  return code < 0 ? failure("Cannot start the thread", name, code) : Status{};
}

}  // namespace pspllm::psp
