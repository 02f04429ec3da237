// Long work for Python: other threads go on meanwhile, Ctrl-C stops it.
#pragma once

#include <pybind11/pybind11.h>

#include <mutex>

#include "python/engine_module/interrupt_guard.hpp"
#include "python/engine_module/python_model.hpp"

namespace pspllm::python {

/// A model computes for one caller only; so does another one that the work needs besides (null: none).
template <typename Work>
auto compute(PythonModel& model, PythonModel* other, const Work& work) {
  const InterruptGuard guard;
  const auto result = [&] {
    const pybind11::gil_scoped_release release;
    if (other == nullptr || other == &model) {
      const std::scoped_lock lock(model.mutex());
      return work();
    }
    const std::scoped_lock lock(model.mutex(), other->mutex());
    return work();
  }();
  guard.check();
  return result;
}

template <typename Work>
auto compute(PythonModel& model, const Work& work) {
  return compute(model, nullptr, work);
}

/// Work on files.
template <typename Work>
auto work_on_files(const Work& work) {
  const InterruptGuard guard;
  const pybind11::gil_scoped_release release;
  return work();
}

}  // namespace pspllm::python
