// ThreadManForUser: threads.
#include <algorithm>

#include "simulator/kernel.hpp"

namespace pspllm::simulator {

namespace {

constexpr Word least_stack = 0x200;
constexpr Word kernel_area = 0x100;  // at the top of each stack
constexpr Word no_stack_fill = 0x00100000;
constexpr Word allowed_attributes = 0xF8F060FF;
constexpr Word user_priority_best = 0x08;
constexpr Word user_priority_worst = 0x77;

void create_thread(Kernel& kernel) {
  const std::optional<std::string> name = kernel.string_argument(0, 31);
  const Address entry = kernel.argument(1);
  const Word priority = kernel.argument(2);
  const Word stack_bytes = kernel.argument(3);
  const Word attributes = kernel.argument(4);
  if (!name) return kernel.set_result(result_code::error);
  if ((attributes & 0xFFFFFF00U & ~allowed_attributes) != 0)
    return kernel.set_result(result_code::illegal_attribute);
  if (stack_bytes < least_stack) return kernel.set_result(result_code::illegal_stack_size);
  if (priority < user_priority_best || priority > user_priority_worst)
    return kernel.set_result(result_code::illegal_priority);
  if (kernel.memory.find(entry).data == nullptr) return kernel.set_result(result_code::illegal_entry);
  const std::optional<Address> stack = kernel.partition.allocate_high(stack_bytes, "stack: " + *name);
  if (!stack) return kernel.set_result(result_code::no_memory);
  Thread thread;
  thread.uid = kernel.new_uid();
  thread.name = *name;
  thread.entry = entry;
  thread.gp = kernel.core.gpr[28];
  thread.initial_priority = thread.priority = priority;
  thread.attributes = attributes | 0x80000000U;
  thread.stack = *stack;
  thread.stack_bytes = (stack_bytes + partition_granule - 1U) & ~(partition_granule - 1U);
  thread.exit_status = result_code::dormant;
  const Uid uid = thread.uid;
  kernel.threads[uid] = std::move(thread);
  kernel.set_result(uid);
}

void start_thread(Kernel& kernel) {
  const Uid uid = kernel.argument(0);
  const Word length = kernel.argument(1);
  const Address from = kernel.argument(2);
  if (uid == 0) return kernel.set_result(result_code::illegal_thread);
  Thread* const thread = kernel.thread_named_by(uid);
  if (thread == nullptr) return kernel.set_result(result_code::unknown_thread);
  if (thread->status != ThreadStatus::dormant) return kernel.set_result(result_code::not_dormant);
  const bool given = length != 0 && from != 0;
  const std::span<Byte> source = given ? kernel.memory.range(from, length) : std::span<Byte>{};
  if (as_signed(length) < 0 || (given && (source.empty() || length > thread->stack_bytes - kernel_area)))
    return kernel.set_result(result_code::illegal_pointer);
  Memory& memory = kernel.memory;
  const std::span<Byte> stack = memory.range(thread->stack, thread->stack_bytes);
  if (!(thread->attributes & no_stack_fill)) std::fill(stack.begin(), stack.end(), Byte{0xFF});
  memory.set_defined(thread->stack, thread->stack_bytes, false);
  Address top = thread->stack + thread->stack_bytes - kernel_area;
  Address argument = 0;
  if (given) {
    argument = (top - length) & ~15U;
    const std::span<Byte> to = memory.range(argument, length);
    std::copy(source.begin(), source.end(), to.begin());
    memory.set_defined(argument, length, true);
    top = argument;
  }
  thread->state = ThreadState{};
  thread->state.pc = thread->entry;
  thread->state.gpr[4] = length;
  thread->state.gpr[5] = argument;
  thread->state.gpr[28] = thread->gp;
  thread->state.gpr[29] = top - 64U;
  thread->state.gpr[31] = thread_return_address;
  thread->stack_lowest = top - 64U;
  thread->priority = thread->initial_priority;
  thread->wakeups = 0;
  kernel.make_ready(*thread);
  kernel.set_result(result_code::ok);
}

void exit_thread(Kernel& kernel) {
  kernel.end_thread(kernel.current(), kernel.argument(0));
}

void exit_delete_thread(Kernel& kernel) {
  const Uid uid = kernel.current_uid();
  kernel.end_thread(kernel.current(), kernel.argument(0));
  kernel.delete_thread(uid);
}

void delete_thread(Kernel& kernel) {
  Thread* const thread = kernel.thread_named_by(kernel.argument(0));
  if (thread == nullptr) return kernel.set_result(result_code::unknown_thread);
  if (thread->status != ThreadStatus::dormant) return kernel.set_result(result_code::not_dormant);
  kernel.delete_thread(thread->uid);
  kernel.set_result(result_code::ok);
}

void terminate(Kernel& kernel, bool removes) {
  Thread* const thread = kernel.thread_named_by(kernel.argument(0));
  if (thread == nullptr) return kernel.set_result(result_code::unknown_thread);
  if (kernel.argument(0) == 0 || thread->uid == kernel.current_uid())
    return kernel.set_result(result_code::illegal_thread);
  const Uid uid = thread->uid;
  const bool was_dormant = thread->status == ThreadStatus::dormant;
  if (was_dormant && !removes) return kernel.set_result(result_code::dormant);
  if (!was_dormant) kernel.end_thread(*thread, 0x800201ACU);
  if (removes) kernel.delete_thread(uid);
  kernel.set_result(result_code::ok);
}

void terminate_thread(Kernel& kernel) {
  terminate(kernel, false);
}
void terminate_delete_thread(Kernel& kernel) {
  terminate(kernel, true);
}

void delay(Kernel& kernel, bool callbacks) {
  Wait wait;
  wait.kind = WaitKind::delay;
  wait.callbacks = callbacks;
  wait.deadline = kernel.now() + Picoseconds{kernel.argument(0)} * microsecond;
  kernel.wait(wait);
}

void delay_thread(Kernel& kernel) {
  delay(kernel, false);
}
void delay_thread_callbacks(Kernel& kernel) {
  delay(kernel, true);
}

void sleep(Kernel& kernel, bool callbacks) {
  Thread& thread = kernel.current();
  if (thread.wakeups != 0) {
    --thread.wakeups;
    return kernel.set_result(result_code::ok);
  }
  Wait wait;
  wait.kind = WaitKind::sleep;
  wait.callbacks = callbacks;
  kernel.wait(wait);
}

void sleep_thread(Kernel& kernel) {
  sleep(kernel, false);
}
void sleep_thread_callbacks(Kernel& kernel) {
  sleep(kernel, true);
}

void wakeup_thread(Kernel& kernel) {
  Thread* const thread = kernel.thread_named_by(kernel.argument(0));
  if (thread == nullptr) return kernel.set_result(result_code::unknown_thread);
  if (thread->status == ThreadStatus::dormant) return kernel.set_result(result_code::dormant);
  kernel.set_result(result_code::ok);
  if (thread->status == ThreadStatus::waiting && thread->wait.kind == WaitKind::sleep)
    kernel.wake(*thread, result_code::ok);
  else
    ++thread->wakeups;
}

void wait_thread_end(Kernel& kernel, bool callbacks) {
  const Thread* const thread = kernel.thread_named_by(kernel.argument(0));
  if (thread == nullptr) return kernel.set_result(result_code::unknown_thread);
  if (thread->status == ThreadStatus::dormant) return kernel.set_result(thread->exit_status);
  Wait wait;
  wait.kind = WaitKind::thread_end;
  wait.id = thread->uid;
  wait.callbacks = callbacks;
  if (const Address timeout = kernel.argument(1); timeout != 0) {
    const std::optional<Word> limit = kernel.read_word(timeout);
    if (!limit) return kernel.set_result(result_code::illegal_pointer);
    wait.deadline = kernel.now() + Picoseconds{*limit} * microsecond;
    wait.timeout_result = result_code::wait_timeout;
    wait.timeout_address = timeout;
  }
  kernel.wait(wait);
}

void wait_thread_end_plain(Kernel& kernel) {
  wait_thread_end(kernel, false);
}
void wait_thread_end_callbacks(Kernel& kernel) {
  wait_thread_end(kernel, true);
}

void change_priority(Kernel& kernel) {
  Thread* const thread = kernel.thread_named_by(kernel.argument(0));
  const Word priority = kernel.argument(1);
  if (thread == nullptr) return kernel.set_result(result_code::unknown_thread);
  if (priority != 0 && (priority < user_priority_best || priority > user_priority_worst))
    return kernel.set_result(result_code::illegal_priority);
  if (thread->status == ThreadStatus::dormant) return kernel.set_result(result_code::dormant);
  thread->priority = priority == 0 ? kernel.current().priority : priority;
  kernel.set_result(result_code::ok);
}

void get_thread_id(Kernel& kernel) {
  kernel.set_result(kernel.current_uid());
}
void get_priority(Kernel& kernel) {
  kernel.set_result(kernel.current().priority);
}

void get_exit_status(Kernel& kernel) {
  const Thread* const thread = kernel.thread_named_by(kernel.argument(0));
  if (thread == nullptr) return kernel.set_result(result_code::unknown_thread);
  kernel.set_result(thread->status == ThreadStatus::dormant ? thread->exit_status : result_code::not_dormant);
}

// Bytes of the stack that still hold the pattern it was filled with.
void stack_free_size(Kernel& kernel) {
  const Thread* const thread = kernel.thread_named_by(kernel.argument(0));
  if (thread == nullptr) return kernel.set_result(result_code::unknown_thread);
  const std::span<Byte> stack = kernel.memory.range(thread->stack, thread->stack_bytes);
  const auto used = std::find_if(stack.begin(), stack.end(), [](Byte value) { return value != 0xFF; });
  kernel.set_result(static_cast<Word>(used - stack.begin()) & ~15U);
}

void check_stack(Kernel& kernel) {
  kernel.set_result(kernel.core.gpr[29] - kernel.current().stack);
}

void rotate_ready_queue(Kernel& kernel) {
  Thread& thread = kernel.current();
  if (kernel.argument(0) == 0 || kernel.argument(0) == thread.priority) {
    const ThreadStatus status = thread.status;
    kernel.make_ready(thread);
    thread.status = status;
  }
  kernel.set_result(result_code::ok);
}

constexpr std::string_view library = "ThreadManForUser";

constexpr ServiceEntry entries[] = {
    {library, "sceKernelCreateThread", create_thread},
    {library, "sceKernelStartThread", start_thread},
    {library, "sceKernelExitThread", exit_thread},
    {library, "sceKernelExitDeleteThread", exit_delete_thread},
    {library, "sceKernelDeleteThread", delete_thread},
    {library, "sceKernelTerminateThread", terminate_thread},
    {library, "sceKernelTerminateDeleteThread", terminate_delete_thread},
    {library, "sceKernelDelayThread", delay_thread},
    {library, "sceKernelDelayThreadCB", delay_thread_callbacks},
    {library, "sceKernelSleepThread", sleep_thread},
    {library, "sceKernelSleepThreadCB", sleep_thread_callbacks},
    {library, "sceKernelWakeupThread", wakeup_thread},
    {library, "sceKernelWaitThreadEnd", wait_thread_end_plain},
    {library, "sceKernelWaitThreadEndCB", wait_thread_end_callbacks},
    {library, "sceKernelChangeThreadPriority", change_priority},
    {library, "sceKernelGetThreadId", get_thread_id},
    {library, "sceKernelGetThreadCurrentPriority", get_priority},
    {library, "sceKernelGetThreadExitStatus", get_exit_status},
    {library, "sceKernelGetThreadStackFreeSize", stack_free_size},
    {library, "sceKernelCheckThreadStack", check_stack},
    {library, "sceKernelRotateThreadReadyQueue", rotate_ready_queue},
};

}  // namespace

std::span<const ServiceEntry> thread_services() {
  return entries;
}

}  // namespace pspllm::simulator
