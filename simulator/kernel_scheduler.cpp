// Which thread runs, and what happens as time passes.
#include <algorithm>

#include "simulator/kernel.hpp"

namespace pspllm::simulator {

namespace {

constexpr unsigned v0 = 2;

// A deadline's remaining time for the program's variable.
void write_remaining(Kernel& kernel, const Wait& wait) {
  if (wait.timeout_address == 0) return;
  const Picoseconds now = kernel.now();
  const Picoseconds left = wait.deadline != forever && wait.deadline > now ? wait.deadline - now : 0;
  (void)kernel.write_word(wait.timeout_address, static_cast<Word>(left / microsecond));
}

}  // namespace

Thread* Kernel::thread_named_by(Uid uid) {
  const auto found = threads.find(uid == 0 ? current_ : uid);
  return found == threads.end() ? nullptr : &found->second;
}

void Kernel::save_current() {
  Thread& thread = current();
  thread.state = static_cast<const ThreadState&>(core);
  thread.stack_lowest = std::min(thread.stack_lowest, core.stack_lowest);
  if (thread.status == ThreadStatus::running) thread.status = ThreadStatus::ready;
}

void Kernel::switch_to(Thread& thread) {
  if (current_ != 0 && current_ != thread.uid) save_current();
  static_cast<ThreadState&>(core) = thread.state;
  current_ = thread.uid;
  thread.status = ThreadStatus::running;
  core.vfpu_usable = (thread.attributes & thread_uses_vfpu) != 0;
  core.stack_bottom = thread.stack;
  core.stack_lowest = thread.stack_lowest;
  ++thread_switches;
  spend(core.timing[Constant::thread_switch_cycles]);
}

Thread* Kernel::best_ready() {
  Thread* best = nullptr;
  for (auto& [uid, thread] : threads) {
    if (thread.status != ThreadStatus::ready && thread.status != ThreadStatus::running) continue;
    if (best == nullptr || thread.priority < best->priority ||
        (thread.priority == best->priority && thread.order < best->order))
      best = &thread;
  }
  return best;
}

void Kernel::make_ready(Thread& thread) {
  thread.wait = {};
  thread.order = next_order_++;
  thread.status = thread.suspends != 0 ? ThreadStatus::suspended : ThreadStatus::ready;
}

void Kernel::wait(Wait what) {
  Thread& thread = current();
  save_current();
  current_ = 0;
  thread.status = ThreadStatus::waiting;
  thread.wait = what;
  thread.order = next_order_++;
  if (what.callbacks) (void)run_pending_callback(thread);
}

void Kernel::wake(Thread& thread, Word result) {
  write_remaining(*this, thread.wait);
  thread.state.gpr[v0] = result;
  make_ready(thread);
}

void Kernel::wait_for_stick(Picoseconds duration) {
  Wait waiting;
  waiting.kind = WaitKind::io;
  waiting.deadline = now() + duration;
  waiting.timeout_result = core.gpr[v0];
  wait(waiting);
}

void Kernel::time_out(Thread& thread) {
  if (thread.wait.kind == WaitKind::pad) write_pad_sample(thread.wait.id);
  wake(thread, thread.wait.timeout_result);
}

void Kernel::wake_due_threads() {
  const Picoseconds present = now();
  for (auto& [uid, thread] : threads)
    if (thread.status == ThreadStatus::waiting && thread.wait.deadline <= present) time_out(thread);
}

Picoseconds Kernel::next_event() const {
  Picoseconds next = vblank_time(frame_ + 1);
  for (const auto& [uid, thread] : threads)
    if (thread.status == ThreadStatus::waiting) next = std::min(next, thread.wait.deadline);
  return next;
}

void Kernel::process_time() {
  while (ending_ == Ending::none && now() >= vblank_time(frame_ + 1)) process_vblank();
  wake_due_threads();
}

void Kernel::process_vblank() {
  ++frame_;
  const Cycles interrupt = core.timing[Constant::vblank_interrupt_cycles];
  background_cycles += interrupt;
  core.pass(interrupt);
  if (display.latched) {
    display.frame_buffer = display.next_frame_buffer;
    display.stride = display.next_stride;
    display.format = display.next_format;
    display.latched = false;
  }
  if (stick.faults.removed_at && now() >= *stick.faults.removed_at) stick.removed = true;
  run_script();
  sample_pad();
  check_abandoned_keyboard();
}

void Kernel::end_thread(Thread& thread, Word status) {
  if (thread.uid == current_) {
    save_current();
    current_ = 0;
  }
  thread.exit_status = status;
  thread.status = ThreadStatus::dormant;
  thread.wait = {};
  thread.frames.clear();
  for (auto& [uid, other] : threads)
    if (other.status == ThreadStatus::waiting && other.wait.kind == WaitKind::thread_end &&
        other.wait.id == thread.uid)
      wake(other, status);
  // The loader's own thread goes away with module_start.
  if (thread.name == "module_start") delete_thread(thread.uid);
}

void Kernel::delete_thread(Uid uid) {
  const auto found = threads.find(uid);
  if (found == threads.end()) return;
  (void)partition.release(found->second.stack);
  std::erase_if(callbacks, [&](const auto& one) { return one.second.thread == uid; });
  threads.erase(found);
}

void Kernel::notify(Callback& callback, Word argument_value) {
  ++callback.notifications;
  callback.argument = argument_value;
  Thread* const thread = thread_named_by(callback.thread);
  if (thread != nullptr && thread->status == ThreadStatus::waiting && thread->wait.callbacks)
    (void)run_pending_callback(*thread);
}

// Makes the thread, whose state is saved, run one pending callback before it goes on.
bool Kernel::run_pending_callback(Thread& thread) {
  const auto found = std::find_if(callbacks.begin(), callbacks.end(), [&](const auto& one) {
    return one.second.thread == thread.uid && one.second.notifications != 0;
  });
  if (found == callbacks.end()) return false;
  Callback& callback = found->second;
  thread.frames.push_back({thread.state, thread.wait, callback.uid});
  thread.state.gpr[4] = callback.notifications;
  thread.state.gpr[5] = callback.argument;
  thread.state.gpr[6] = callback.common;
  thread.state.gpr[28] = thread.gp;
  thread.state.gpr[29] = (thread.state.gpr[29] - 64U) & ~15U;
  thread.state.gpr[31] = callback_return_address;
  thread.state.pc = callback.function;
  callback.notifications = 0;
  callback.argument = 0;
  make_ready(thread);
  return true;
}

// A callback returned: the thread goes on waiting, or on with its work.
void Kernel::finish_callback() {
  Thread& thread = current();
  const Word result = core.gpr[v0];
  save_current();
  current_ = 0;
  if (thread.frames.empty()) {
    stop(Ending::fault, "a thread returned from a callback that it was not in");
    return;
  }
  const CallbackFrame frame = thread.frames.back();
  thread.frames.pop_back();
  if (result != 0) callbacks.erase(frame.callback);
  thread.state = frame.state;
  thread.wait = frame.wait;
  if (run_pending_callback(thread)) return;
  if (frame.wait.kind == WaitKind::none) {
    make_ready(thread);
    return;
  }
  thread.status = ThreadStatus::waiting;
  // What it waits for may have come meanwhile.
  if (frame.wait.kind == WaitKind::sleep && thread.wakeups != 0) {
    --thread.wakeups;
    wake(thread, result_code::ok);
  } else if (frame.wait.kind == WaitKind::semaphore) {
    const auto semaphore = semaphores.find(frame.wait.id);
    if (semaphore == semaphores.end()) {
      wake(thread, result_code::wait_deleted);
    } else if (semaphore->second.count >= frame.wait.count) {
      semaphore->second.count -= frame.wait.count;
      wake(thread, result_code::ok);
    }
  } else if (frame.wait.kind == WaitKind::thread_end) {
    const Thread* const other = thread_named_by(frame.wait.id);
    if (other == nullptr)
      wake(thread, result_code::wait_deleted);
    else if (other->status == ThreadStatus::dormant)
      wake(thread, other->exit_status);
  } else if (frame.wait.kind == WaitKind::volatile_memory && !power.volatile_locked) {
    power.volatile_locked = memory.volatile_locked = true;
    wake(thread, result_code::ok);
  }
}

}  // namespace pspllm::simulator
