#include "psp/platform/exit.hpp"

#include <atomic>

#include "psp/platform/power.hpp"
#include "psp/platform/power_transitions.hpp"
#include "psp/platform/psp_api.hpp"
#include "psp/platform/thread.hpp"

namespace pspllm::psp {
namespace {

constexpr std::size_t callback_stack_bytes = 4096;
constexpr std::uint32_t guard_poll_us = 10'000;

// One processor, and one writer each (the callback thread; for the guards the main thread): relaxed loads and
// stores.
std::atomic<bool> leaving{false};
std::atomic<int> living_guards{0};
std::atomic<std::uint32_t> sleep_count{0};
std::atomic<std::uint32_t> wake_count{0};
std::atomic<Uid> exit_callback_id{-1};

PowerTransitions transitions;

std::int32_t on_exit(std::int32_t /*count*/, std::int32_t /*argument*/, void* /*common*/) {
  leaving.store(true, std::memory_order_relaxed);
  for (unsigned waited = 0; living_guards.load(std::memory_order_relaxed) > 0 && waited < exit_grace_us;
       waited += guard_poll_us) {
    sceKernelDelayThread(guard_poll_us);
  }
  sceKernelExitGame();
  return 0;
}

std::int32_t on_power(std::int32_t /*count*/, std::int32_t flags, void* /*common*/) {
  transitions.update(flags);
  sleep_count.store(transitions.events.sleeps, std::memory_order_relaxed);
  wake_count.store(transitions.events.wakes, std::memory_order_relaxed);
  return 0;
}

void run_callbacks(void* /*argument*/) {
  const Uid exit_callback = sceKernelCreateCallback("exit", on_exit, nullptr);
  if (exit_callback >= 0) sceKernelRegisterExitCallback(exit_callback);
  exit_callback_id.store(exit_callback, std::memory_order_relaxed);
  const Uid power_callback = sceKernelCreateCallback("power", on_power, nullptr);
  if (power_callback >= 0) scePowerRegisterCallback(api::power_slot_any, power_callback);
  for (;;) sceKernelSleepThreadCB();
}

}  // namespace

Status start_system_callbacks() {
  return start_thread("callbacks", callback_thread_priority, callback_stack_bytes, run_callbacks, nullptr);
}

bool exit_requested() {
  return leaving.load(std::memory_order_relaxed);
}

ExitGuard::ExitGuard() {
  living_guards.store(living_guards.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

ExitGuard::~ExitGuard() {
  living_guards.store(living_guards.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
}

void leave_program() {
  sceKernelExitGame();
  for (;;) sceKernelDelayThread(guard_poll_us);
}

void simulate_home() {
  const Uid id = exit_callback_id.load(std::memory_order_relaxed);
  if (id >= 0) sceKernelNotifyCallback(id, 0);
}

PowerEvents power_events() {
  return {sleep_count.load(std::memory_order_relaxed), wake_count.load(std::memory_order_relaxed)};
}

}  // namespace pspllm::psp
