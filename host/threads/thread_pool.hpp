// Threads that share the rows of a matrix. One job at a time, split into as many equal ranges as there are
// threads; between jobs the workers spin for a while, because the next job of a token follows within
// microseconds, then sleep, so that an idle chat uses no processor time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/ops/parallel.hpp"

namespace pspllm::host {

/// Threads that this process may run on at once, at least 1.
[[nodiscard]] std::uint32_t available_threads() noexcept;

/// Multiply-adds below which a job stays on the calling thread. Handing out a job and waiting for its end
/// takes two threads 0.5 microseconds (2.6 GHz Xeon, measured by bench/host_kernels_bench.cpp), moving its
/// vectors between their caches about as much again. Of 32 K, 64 K, 128 K and 192 K this is the one with
/// which a 15M model gains all it can (1.74 times with two threads) and a 1M model loses nothing.
inline constexpr std::uint64_t smallest_shared_work = 65536;

class ThreadPool {
 public:
  /// n_threads: at least 1, the calling thread included. Where the system refuses threads, the pool has
  /// fewer.
  explicit ThreadPool(std::uint32_t n_threads);
  /// Waits for the workers to end; no job may be running.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ThreadPool(ThreadPool&&) = delete;
  ThreadPool& operator=(ThreadPool&&) = delete;

  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(workers_.size()) + 1;
  }

  /// For the engine; valid as long as the pool. To be called from one thread at a time, never from within a
  /// task.
  [[nodiscard]] Parallel parallel() noexcept;

 private:
  struct Job {
    RangeTask task = nullptr;
    void* context = nullptr;
    std::uint32_t count = 0;
  };

  void run(const Job& job) noexcept;
  void run_share(std::uint32_t share) const noexcept;
  void work(std::uint32_t share) noexcept;
  void wait_for_job(std::uint32_t last_epoch) noexcept;
  void wake_sleepers() noexcept;

  std::uint32_t n_shares_ = 1;
  const bool more_than_cores_;
  Job job_;                // written before epoch_ grows, read by workers after they have seen it grow
  bool stopping_ = false;  // the same
  alignas(64) std::atomic<std::uint32_t> epoch_{0};  // jobs handed out
  alignas(64) std::atomic<std::uint32_t> unfinished_{0};
  alignas(64) std::atomic<std::uint32_t> sleepers_{0};
  std::mutex sleep_mutex_;
  std::condition_variable sleep_condition_;
  std::vector<std::thread> workers_;
};

}  // namespace pspllm::host
