// How kernels share work between threads. The engine knows no threads: a host supplies them, a console has
// none.
#pragma once

#include <cstdint>

namespace pspllm {

/// A loop body over units [begin, end).
using RangeTask = void (*)(void* context, std::uint32_t begin, std::uint32_t end) noexcept;

/// Runs a task over [0, count), split as it likes; returns when all units are done. `work` is a rough count
/// of multiply-adds, so that small jobs can stay on one thread. Serial where `run` is null.
struct Parallel {
  void* context = nullptr;
  void (*run)(void* context, RangeTask task, void* task_context, std::uint32_t count,
              std::uint64_t work) noexcept = nullptr;

  /// Calls body(begin, end) on ranges that cover [0, count).
  template <typename Body>
  void operator()(std::uint32_t count, std::uint64_t work, Body body) const noexcept {
    const RangeTask task = [](void* context_of_body, std::uint32_t begin, std::uint32_t end) noexcept {
      (*static_cast<Body*>(context_of_body))(begin, end);
    };
    if (run == nullptr) {
      if (count > 0) task(&body, 0, count);
    } else {
      run(context, task, &body, count, work);
    }
  }
};

}  // namespace pspllm
