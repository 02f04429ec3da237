// ThreadManForUser and LoadExecForUser: callbacks and leaving.
#include "simulator/kernel.hpp"

namespace pspllm::simulator {

namespace {

void create_callback(Kernel& kernel) {
  const std::optional<std::string> name = kernel.string_argument(0, 31);
  if (!name) return kernel.set_result(result_code::error);
  const Address function = kernel.argument(1);
  if (function & kernel_bit) return kernel.set_result(result_code::illegal_pointer);
  Callback callback;
  callback.uid = kernel.new_uid();
  callback.name = *name;
  callback.thread = kernel.current_uid();
  callback.function = function;
  callback.common = kernel.argument(2);
  kernel.callbacks[callback.uid] = callback;
  kernel.set_result(callback.uid);
}

void delete_callback(Kernel& kernel) {
  kernel.set_result(kernel.callbacks.erase(kernel.argument(0)) != 0 ? result_code::ok
                                                                    : result_code::unknown_callback);
}

void notify_callback(Kernel& kernel) {
  const auto found = kernel.callbacks.find(kernel.argument(0));
  if (found == kernel.callbacks.end()) return kernel.set_result(result_code::unknown_callback);
  const Word argument = kernel.argument(1);
  kernel.set_result(result_code::ok);
  kernel.notify(found->second, argument);
}

void cancel_callback(Kernel& kernel) {
  const auto found = kernel.callbacks.find(kernel.argument(0));
  if (found == kernel.callbacks.end()) return kernel.set_result(result_code::unknown_callback);
  found->second.notifications = 0;
  found->second.argument = 0;
  kernel.set_result(result_code::ok);
}

void get_callback_count(Kernel& kernel) {
  const auto found = kernel.callbacks.find(kernel.argument(0));
  kernel.set_result(found == kernel.callbacks.end() ? result_code::unknown_callback
                                                    : found->second.notifications);
}

// Runs what is pending of the calling thread; 1 if there was anything.
void check_callback(Kernel& kernel) {
  bool pending = false;
  for (const auto& [uid, callback] : kernel.callbacks)
    pending = pending || (callback.thread == kernel.current_uid() && callback.notifications != 0);
  kernel.set_result(Word{pending});
  if (!pending) return;
  // A wait that ends at once, with callbacks allowed.
  Wait wait;
  wait.kind = WaitKind::delay;
  wait.callbacks = true;
  wait.deadline = kernel.now();
  wait.timeout_result = 1;
  kernel.wait(wait);
}

void exit_game(Kernel& kernel) {
  kernel.stop(Ending::exit_game, "sceKernelExitGame");
}

void register_exit_callback(Kernel& kernel) {
  kernel.exit_callback = kernel.argument(0);
  kernel.set_result(result_code::ok);
}

constexpr std::string_view threads = "ThreadManForUser";
constexpr std::string_view load_exec = "LoadExecForUser";

constexpr ServiceEntry entries[] = {
    {threads, "sceKernelCreateCallback", create_callback},
    {threads, "sceKernelDeleteCallback", delete_callback},
    {threads, "sceKernelNotifyCallback", notify_callback},
    {threads, "sceKernelCancelCallback", cancel_callback},
    {threads, "sceKernelGetCallbackCount", get_callback_count},
    {threads, "sceKernelCheckCallback", check_callback},
    {load_exec, "sceKernelExitGame", exit_game},
    {load_exec, "sceKernelRegisterExitCallback", register_exit_callback},
};

}  // namespace

std::span<const ServiceEntry> callback_services() {
  return entries;
}

}  // namespace pspllm::simulator
