#include "host/threads/thread_pool.hpp"

#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
#include <chrono>
#include <system_error>

namespace pspllm::host {
namespace {

/// How long a worker spins before it sleeps: longer than sampling and printing a token take.
constexpr std::chrono::microseconds spin_time{1000};
/// How long the caller spins for stragglers before it lets others on its core.
constexpr std::chrono::microseconds straggler_time{100};
/// Looks at the flag between two looks at the clock.
constexpr int looks_per_clock = 64;

/// What a spinning thread does between those: with more threads than cores, the one that it waits for may
/// need its core.
enum class Spinning : std::uint8_t { keeps_core, yields_core };

void pause_spinning() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Spins until done() or the time is over; gives done().
template <typename Done>
bool spin_until(Done done, std::chrono::microseconds time, Spinning spinning) noexcept {
  const auto end = std::chrono::steady_clock::now() + time;
  do {
    for (int look = 0; look < looks_per_clock; ++look) {
      if (done()) return true;
      pause_spinning();
    }
    if (spinning == Spinning::yields_core) std::this_thread::yield();
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

}  // namespace

std::uint32_t available_threads() noexcept {
#if defined(__linux__)
  // The C library counts all processors; a container or taskset may allow this process fewer.
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    return static_cast<std::uint32_t>(std::max(1, CPU_COUNT(&allowed)));
  }
#endif
  return std::max(1U, std::thread::hardware_concurrency());
}

ThreadPool::ThreadPool(std::uint32_t n_threads) : more_than_cores_(n_threads > available_threads()) {
  workers_.reserve(n_threads > 0 ? n_threads - 1 : 0);
  try {
    for (std::uint32_t share = 1; share < n_threads; ++share) {
      workers_.emplace_back([this, share] { work(share); });
    }
  } catch (const std::system_error&) {
    // The system has no more threads: those that started do the work.
  }
  n_shares_ = size();
}

ThreadPool::~ThreadPool() {
  stopping_ = true;
  epoch_.fetch_add(1);
  wake_sleepers();
  for (std::thread& worker : workers_) worker.join();
}

Parallel ThreadPool::parallel() noexcept {
  return {this, [](void* context, RangeTask task, void* task_context, std::uint32_t count,
                   std::uint64_t work) noexcept {
            auto& pool = *static_cast<ThreadPool*>(context);
            if (count == 0) return;
            if (count == 1 || work < smallest_shared_work || pool.workers_.empty()) {
              task(task_context, 0, count);
            } else {
              pool.run({task, task_context, count});
            }
          }};
}

void ThreadPool::run(const Job& job) noexcept {
  job_ = job;
  unfinished_.store(n_shares_ - 1, std::memory_order_relaxed);
  // Sequentially consistent, as a worker's going to sleep is: either it sees the job or we see it asleep.
  epoch_.fetch_add(1);
  if (sleepers_.load() > 0) wake_sleepers();
  run_share(0);
  const auto all_done = [this] { return unfinished_.load(std::memory_order_acquire) == 0; };
  const Spinning spinning = more_than_cores_ ? Spinning::yields_core : Spinning::keeps_core;
  while (!spin_until(all_done, straggler_time, spinning)) std::this_thread::yield();
}

void ThreadPool::run_share(std::uint32_t share) const noexcept {
  const auto bound = [this](std::uint32_t part) {
    return static_cast<std::uint32_t>(std::uint64_t{job_.count} * part / n_shares_);
  };
  const std::uint32_t begin = bound(share);
  const std::uint32_t end = bound(share + 1);
  if (begin < end) job_.task(job_.context, begin, end);
}

void ThreadPool::work(std::uint32_t share) noexcept {
  for (std::uint32_t epoch = 0;; ++epoch) {
    wait_for_job(epoch);
    if (stopping_) return;
    run_share(share);
    unfinished_.fetch_sub(1, std::memory_order_release);
  }
}

void ThreadPool::wait_for_job(std::uint32_t last_epoch) noexcept {
  const Spinning spinning = more_than_cores_ ? Spinning::yields_core : Spinning::keeps_core;
  const auto has_job = [&] { return epoch_.load(std::memory_order_acquire) != last_epoch; };
  if (spin_until(has_job, spin_time, spinning)) return;
  std::unique_lock lock(sleep_mutex_);
  sleepers_.fetch_add(1);
  sleep_condition_.wait(lock, [&] { return epoch_.load() != last_epoch; });
  sleepers_.fetch_sub(1);
}

void ThreadPool::wake_sleepers() noexcept {
  { const std::lock_guard lock(sleep_mutex_); }
  sleep_condition_.notify_all();
}

}  // namespace pspllm::host
