// ThreadManForUser: semaphores.
#include <algorithm>

#include "simulator/kernel.hpp"

namespace pspllm::simulator {

namespace {

constexpr Word by_priority = 0x100;

Semaphore* find(Kernel& kernel) {
  const auto found = kernel.semaphores.find(kernel.argument(0));
  return found == kernel.semaphores.end() ? nullptr : &found->second;
}

// The thread that is served next, or nullptr.
Thread* first_waiting(Kernel& kernel, const Semaphore& semaphore) {
  Thread* first = nullptr;
  for (auto& [uid, thread] : kernel.threads) {
    if (thread.status != ThreadStatus::waiting || thread.wait.kind != WaitKind::semaphore ||
        thread.wait.id != semaphore.uid)
      continue;
    const bool better =
        first != nullptr && (semaphore.attributes & by_priority) && thread.priority != first->priority
            ? thread.priority < first->priority
            : first == nullptr || thread.order < first->order;
    if (better) first = &thread;
  }
  return first;
}

void create(Kernel& kernel) {
  const std::optional<std::string> name = kernel.string_argument(0, 31);
  if (!name) return kernel.set_result(result_code::error);
  if (kernel.argument(1) >= 0x200U) return kernel.set_result(result_code::illegal_attribute);
  Semaphore semaphore;
  semaphore.uid = kernel.new_uid();
  semaphore.name = *name;
  semaphore.attributes = kernel.argument(1);
  semaphore.initial = semaphore.count = as_signed(kernel.argument(2));
  semaphore.most = as_signed(kernel.argument(3));
  kernel.semaphores[semaphore.uid] = semaphore;
  kernel.set_result(semaphore.uid);
}

void remove(Kernel& kernel) {
  const Semaphore* const semaphore = find(kernel);
  if (semaphore == nullptr) return kernel.set_result(result_code::unknown_semaphore);
  kernel.set_result(result_code::ok);
  while (Thread* const thread = first_waiting(kernel, *semaphore))
    kernel.wake(*thread, result_code::wait_deleted);
  kernel.semaphores.erase(semaphore->uid);
}

void signal(Kernel& kernel) {
  Semaphore* const semaphore = find(kernel);
  const SignedDoubleWord more = as_signed(kernel.argument(1));
  if (semaphore == nullptr) return kernel.set_result(result_code::unknown_semaphore);
  Thread* waiting = first_waiting(kernel, *semaphore);
  const SignedDoubleWord waiting_count = waiting == nullptr ? 0 : 1;
  if (semaphore->count + more - waiting_count > semaphore->most)
    return kernel.set_result(result_code::semaphore_overflow);
  semaphore->count = static_cast<SignedWord>(semaphore->count + more);
  kernel.set_result(result_code::ok);
  while (waiting != nullptr && semaphore->count >= waiting->wait.count) {
    semaphore->count -= waiting->wait.count;
    kernel.wake(*waiting, result_code::ok);
    waiting = first_waiting(kernel, *semaphore);
  }
}

void wait(Kernel& kernel, bool callbacks) {
  Semaphore* const semaphore = find(kernel);
  const SignedWord count = as_signed(kernel.argument(1));
  const Address timeout = kernel.argument(2);
  if (semaphore == nullptr) return kernel.set_result(result_code::unknown_semaphore);
  if (count <= 0 || count > semaphore->most) return kernel.set_result(result_code::illegal_count);
  if (semaphore->count >= count && first_waiting(kernel, *semaphore) == nullptr) {
    semaphore->count -= count;
    return kernel.set_result(result_code::ok);
  }
  Wait waiting;
  waiting.kind = WaitKind::semaphore;
  waiting.id = semaphore->uid;
  waiting.count = count;
  waiting.callbacks = callbacks;
  if (timeout != 0) {
    const std::optional<Word> limit = kernel.read_word(timeout);
    if (!limit) return kernel.set_result(result_code::illegal_pointer);
    waiting.deadline = kernel.now() + Picoseconds{*limit} * microsecond;
    waiting.timeout_result = result_code::wait_timeout;
    waiting.timeout_address = timeout;
  }
  kernel.wait(waiting);
}

void wait_plain(Kernel& kernel) {
  wait(kernel, false);
}
void wait_callbacks(Kernel& kernel) {
  wait(kernel, true);
}

void poll(Kernel& kernel) {
  Semaphore* const semaphore = find(kernel);
  const SignedWord count = as_signed(kernel.argument(1));
  if (semaphore == nullptr) return kernel.set_result(result_code::unknown_semaphore);
  if (count <= 0) return kernel.set_result(result_code::illegal_count);
  if (semaphore->count < count) return kernel.set_result(result_code::semaphore_zero);
  semaphore->count -= count;
  kernel.set_result(result_code::ok);
}

constexpr std::string_view library = "ThreadManForUser";

constexpr ServiceEntry entries[] = {
    {library, "sceKernelCreateSema", create},         {library, "sceKernelDeleteSema", remove},
    {library, "sceKernelSignalSema", signal},         {library, "sceKernelWaitSema", wait_plain},
    {library, "sceKernelWaitSemaCB", wait_callbacks}, {library, "sceKernelPollSema", poll},
};

}  // namespace

std::span<const ServiceEntry> semaphore_services() {
  return entries;
}

}  // namespace pspllm::simulator
