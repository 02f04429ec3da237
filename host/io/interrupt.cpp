#include "host/io/interrupt.hpp"

#include <csignal>

#include "host/core/failure.hpp"

namespace pspllm::host {
namespace {

volatile std::sig_atomic_t requested = 0;

void on_signal(int /*signal*/) {
  requested = 1;
}

void install(void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = flags;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

void arm() {
  // After the first signal the default action is back: a second Ctrl-C always ends the program.
  install(on_signal, static_cast<int>(SA_RESETHAND));
}

}  // namespace

InterruptScope::InterruptScope() {
  requested = 0;
  arm();
}

InterruptScope::~InterruptScope() {
  install(SIG_DFL, 0);
}

bool interrupt_requested() noexcept {
  return requested != 0;
}

void clear_interrupt() noexcept {
  requested = 0;
  arm();
}

LayerHook interrupt_hook() noexcept {
  return {nullptr, [](void* /*context*/, std::uint32_t /*layer*/) noexcept { return requested == 0; }};
}

void throw_if_interrupted() {
  if (interrupt_requested()) throw Interrupted();
}

}  // namespace pspllm::host
