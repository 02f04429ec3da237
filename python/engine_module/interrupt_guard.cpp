#include "python/engine_module/interrupt_guard.hpp"

#include <pybind11/pybind11.h>

namespace pspllm::python {
namespace {

bool is_main_thread() {
  const pybind11::module_ threading = pybind11::module_::import("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

}  // namespace

InterruptGuard::InterruptGuard() {
  if (!is_main_thread()) return;
  ::sigaction(SIGINT, nullptr, &interrupt_action_);
  ::sigaction(SIGTERM, nullptr, &terminate_action_);
  scope_.emplace();
  // Only Ctrl-C has an exception in Python.
  ::sigaction(SIGTERM, &terminate_action_, nullptr);
}

InterruptGuard::~InterruptGuard() {
  if (!scope_) return;
  scope_.reset();
  ::sigaction(SIGINT, &interrupt_action_, nullptr);
  ::sigaction(SIGTERM, &terminate_action_, nullptr);
}

void InterruptGuard::check() const {
  if (scope_) host::throw_if_interrupted();
}

}  // namespace pspllm::python
