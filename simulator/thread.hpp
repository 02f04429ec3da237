#pragma once
// Threads, callbacks and semaphores of the modelled kernel.
#include <string>
#include <vector>

#include "simulator/clock.hpp"
#include "simulator/core.hpp"
#include "simulator/words.hpp"

namespace pspllm::simulator {

using Uid = Word;

// Numbers as in SceKernelThreadInfo.
enum class ThreadStatus : Word { running = 1, ready = 2, waiting = 4, suspended = 8, dormant = 16 };

enum class WaitKind : Byte { none, delay, sleep, semaphore, thread_end, vblank, io, pad, volatile_memory };

struct Wait {
  WaitKind kind = WaitKind::none;
  Word id = 0;             // semaphore, thread, or the buffer for a pad sample
  SignedWord count = 0;    // taken from a semaphore
  bool callbacks = false;  // a CB variant: callbacks may run meanwhile
  Picoseconds deadline = forever;
  Word timeout_result = 0;      // returned when the deadline passes
  Address timeout_address = 0;  // where the remaining microseconds are written
};

// What a callback interrupted.
struct CallbackFrame {
  ThreadState state;
  Wait wait;
  Uid callback = 0;
};

struct Thread {
  Uid uid = 0;
  std::string name;
  Address entry = 0;
  Address gp = 0;
  Word initial_priority = 0;
  Word priority = 0;
  Word attributes = 0;
  Address stack = 0;
  Word stack_bytes = 0;
  ThreadStatus status = ThreadStatus::dormant;
  Wait wait;
  DoubleWord order = 0;  // when it became ready: equals run first come, first served
  Word wakeups = 0;
  Word exit_status = 0;
  Word suspends = 0;
  std::vector<CallbackFrame> frames;
  ThreadState state;
  Address stack_lowest = 0xFFFFFFFF;
  Picoseconds run_time = 0;
};

struct Callback {
  Uid uid = 0;
  std::string name;
  Uid thread = 0;
  Address function = 0;
  Word common = 0;
  Word notifications = 0;
  Word argument = 0;
};

struct Semaphore {
  Uid uid = 0;
  std::string name;
  Word attributes = 0;
  SignedWord initial = 0;
  SignedWord count = 0;
  SignedWord most = 0;
};

constexpr Word thread_uses_vfpu = 0x4000;

}  // namespace pspllm::simulator
