#include "host/threads/thread_pool.hpp"

#include <doctest/doctest.h>
#if defined(__linux__)
#include <sched.h>
#endif

#include <chrono>
#include <ctime>
#include <set>
#include <thread>
#include <vector>

namespace pspllm::host {
namespace {

constexpr std::uint64_t much_work = smallest_shared_work;

TEST_CASE("a job's ranges cover every unit once, whatever the count and the number of threads") {
  for (const std::uint32_t n_threads : {1U, 2U, 3U, 8U}) {
    ThreadPool pool(n_threads);
    const Parallel parallel = pool.parallel();
    for (std::uint32_t count = 0; count < 40; ++count) {
      std::vector<int> visits(count, 0);
      parallel(count, much_work, [&](std::uint32_t begin, std::uint32_t end) {
        CHECK(begin < end);
        for (std::uint32_t unit = begin; unit < end; ++unit) ++visits[unit];
      });
      CHECK(visits == std::vector<int>(count, 1));
    }
  }
}

TEST_CASE("results of one job are seen by the next, over thousands of jobs") {
  ThreadPool pool(4);
  const Parallel parallel = pool.parallel();
  std::vector<std::uint64_t> values(64, 1);
  std::vector<std::uint64_t> shifted(64, 0);
  for (int round = 0; round < 500; ++round) {
    parallel(64, much_work, [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t i = begin; i < end; ++i) shifted[i] = values[(i + 1) % 64] + i;
    });
    parallel(64, much_work, [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t i = begin; i < end; ++i) values[i] = shifted[(i + 1) % 64];
    });
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t value : values) sum += value;
  CHECK(sum == 64 + 500ULL * (63 * 64 / 2));
}

TEST_CASE("small jobs stay on the calling thread, large ones use all") {
  ThreadPool pool(3);
  REQUIRE(pool.size() == 3);
  const auto threads_of = [&](std::uint64_t work) {
    std::vector<std::thread::id> ids(3);
    pool.parallel()(3, work, [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t i = begin; i < end; ++i) ids[i] = std::this_thread::get_id();
    });
    return std::set<std::thread::id>(ids.begin(), ids.end());
  };
  CHECK(threads_of(smallest_shared_work - 1) == std::set{std::this_thread::get_id()});
  CHECK(threads_of(smallest_shared_work).size() == 3);
}

TEST_CASE("workers sleep when idle, and wake for the next job") {
  ThreadPool pool(4);
  const auto run_job = [&] {
    std::vector<int> visits(4, 0);
    pool.parallel()(4, much_work, [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t i = begin; i < end; ++i) ++visits[i];
    });
    return visits;
  };
  CHECK(run_job() == std::vector<int>(4, 1));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const std::clock_t before = std::clock();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const double idle_seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  CHECK(idle_seconds < 0.05);
  CHECK(run_job() == std::vector<int>(4, 1));
}

TEST_CASE("pools start and stop, with and without jobs") {
  for (int round = 0; round < 50; ++round) {
    ThreadPool pool(3);
    if (round % 2 == 0) pool.parallel()(3, much_work, [](std::uint32_t, std::uint32_t) {});
  }
}

TEST_CASE("threads are counted as this process may use them") {
  const std::uint32_t all = available_threads();
  CHECK(all >= 1);
#if defined(__linux__)
  cpu_set_t before;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  std::size_t first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  CHECK(available_threads() == 1);
  REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
  CHECK(available_threads() == all);
#endif
}

}  // namespace
}  // namespace pspllm::host
