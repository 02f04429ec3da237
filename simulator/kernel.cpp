#include "simulator/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simulator/sha1.hpp"

namespace pspllm::simulator {

namespace {

constexpr Word start_priority = 0x20;
constexpr Word start_stack_bytes = 0x40000;
constexpr unsigned v0 = 2;
constexpr Cycles clock_rebase = Cycles{1} << 36U;  // keeps Clock's products small

}  // namespace

std::string_view name_of(Ending ending) {
  switch (ending) {
    case Ending::none:
      return "running";
    case Ending::exit_game:
      return "exit_game";
    case Ending::returned:
      return "returned";
    case Ending::fault:
      return "fault";
    case Ending::unknown_call:
      return "unknown_call";
    case Ending::deadlock:
      return "deadlock";
    case Ending::cycle_limit:
      return "cycle_limit";
    case Ending::no_text:
      return "no_text";
    case Ending::script_end:
      return "script_end";
  }
  return "?";
}

Kernel::Kernel(Core& core_in, Memory& memory_in, Partition& partition_in, Storage& storage_in)
    : core(core_in), memory(memory_in), partition(partition_in), storage(storage_in) {
  for (const auto& entries :
       {file_services(), directory_services(), thread_services(), callback_services(), semaphore_services(),
        memory_services(), display_services(), graphics_services(), pad_services(), power_services(),
        time_services(), utility_services(), system_services()})
    register_services(entries);
}

void Kernel::register_services(std::span<const ServiceEntry> entries) {
  for (const ServiceEntry& entry : entries)
    services_[{std::string(entry.library), nid_of(entry.name)}] = &entry;
}

void Kernel::bind_imports() {
  bound_.clear();
  for (const Import& import : module.imports) {
    const auto found = services_.find({import.library, import.nid});
    bound_.push_back(found == services_.end() ? nullptr : found->second);
  }
}

void Kernel::start(const Module& program, const std::string& program_path) {
  module = program;
  bind_imports();
  const std::optional<Address> stack = partition.allocate_high(start_stack_bytes, "stack: module_start");
  if (!stack) {
    stop(Ending::fault, "no memory for the stack of module_start");
    return;
  }
  Thread thread;
  thread.uid = new_uid();
  thread.name = "module_start";
  thread.entry = module.entry;
  thread.gp = module.gp;
  thread.initial_priority = thread.priority = start_priority;
  // A plain ELF has no start-up code that would make a thread of its own: it gets the VFPU.
  thread.attributes = module.has_module_info ? 0x80000000U : 0x80000000U | thread_uses_vfpu;
  thread.stack = *stack;
  thread.stack_bytes = start_stack_bytes;
  thread.state.pc = module.entry;
  thread.state.gpr[28] = module.gp;
  thread.state.gpr[31] = thread_return_address;
  const Word length = static_cast<Word>(program_path.size()) + 1U;
  const Address argument = (*stack + start_stack_bytes - 0x100U - length) & ~15U;
  const std::span<Byte> to = memory.range(argument, length);
  std::copy(program_path.begin(), program_path.end(), to.begin());
  to.back() = 0;
  memory.set_defined(argument, length, true);
  thread.state.gpr[4] = length;
  thread.state.gpr[5] = argument;
  thread.state.gpr[29] = argument - 64U;
  const Uid uid = thread.uid;
  threads[uid] = std::move(thread);
  make_ready(threads[uid]);
}

void Kernel::stop(Ending ending, std::string reason) {
  if (ending_ != Ending::none) return;
  ending_ = ending;
  ending_reason = std::move(reason);
}

std::string Kernel::caller() const {
  return module.symbols.describe(core.gpr[31] - 8U);
}

void Kernel::refuse(const std::string& reason) {
  stop(Ending::unknown_call, fmt::format("{}, called at {}: {}", call_name_, caller(), reason));
}

void Kernel::log(std::string what) {
  events.push_back({now(), std::move(what)});
}

void Kernel::spend(Cycles cycles) {
  kernel_cycles += cycles;
  if (core.block == nullptr) {
    background_cycles += cycles;
    return core.pass(cycles);
  }
  core.block->statistics.cycles += cycles;
  stall(core, Cause::kernel, cycles);
}

void Kernel::set_result(Word value) {
  core.gpr[v0] = value;
  core.ready[v0] = 0;
}

void Kernel::set_result64(DoubleWord value) {
  set_result(static_cast<Word>(value));
  core.gpr[v0 + 1] = static_cast<Word>(value >> 32U);
  core.ready[v0 + 1] = 0;
}

std::optional<std::string> Kernel::string_argument(unsigned i, std::size_t limit) {
  std::string text;
  if (!memory.read_string(argument(i), limit, text)) return std::nullopt;
  return text;
}

bool Kernel::write_word(Address address, Word value) {
  const std::span<Byte> to = memory.range(address, 4);
  if (to.empty() || (address & 3U) != 0) return false;
  store_as(to.data(), value);
  memory.set_defined(address, 4, true);
  return true;
}

bool Kernel::write_double(Address address, DoubleWord value) {
  return write_word(address, static_cast<Word>(value)) &&
         write_word(address + 4U, static_cast<Word>(value >> 32U));
}

std::optional<Word> Kernel::read_word(Address address) {
  const std::span<Byte> from = memory.range(address, 4);
  if (from.empty() || (address & 3U) != 0) return std::nullopt;
  return load_as<Word>(from.data());
}

std::span<Byte> Kernel::buffer(Address address, Word size, bool writes) {
  const std::span<Byte> bytes = memory.range(address, size);
  if (bytes.empty() || size == 0) return {};
  const Address physical = memory.find(address).physical;
  Cycles cycles = 0;
  for (Word line = line_of(physical); line <= line_of(physical + size - 1U); ++line)
    cycles += core.data_cache.clean(line, true, true);
  spend(cycles);
  if (writes) memory.set_defined(address, size, true);
  return bytes;
}

void Kernel::set_clock(Word cpu_megahertz, Word bus_megahertz) {
  clock.change(core.cycle, cpu_megahertz, bus_megahertz);
  core.set_clock(cpu_megahertz, bus_megahertz);
}

void Kernel::handle_marker(Word kind, Word value) {
  const MarkerRecord record{static_cast<MarkerKind>(kind), value, now(), core.cycle};
  if (record.kind < MarkerKind::phase_begin) markers.push_back(record);
  if (on_marker) on_marker(record);
}

void Kernel::handle_call(Word number) {
  core.load_linked = false;
  if (number == thread_return_call) {
    end_thread(current(), core.gpr[v0]);
    return;
  }
  if (number == callback_return_call) {
    finish_callback();
    return;
  }
  if (number >= bound_.size()) {
    stop(Ending::unknown_call, fmt::format("syscall {} at {} is not an import of this program", number,
                                           module.symbols.describe(core.pc)));
    return;
  }
  const Import& import = module.imports[number];
  const ServiceEntry* const entry = bound_[number];
  if (entry == nullptr) {
    stop(Ending::unknown_call,
         fmt::format("{} in library {} (NID {:08X}), called at {}, is not served by this simulator",
                     module.symbols.describe(import.stub), import.library, import.nid, caller()));
    return;
  }
  call_name_ = entry->name;
  ++call_counts[call_name_];
  spend(core.timing[Constant::kernel_call_cycles]);
  entry->run(*this);
}

Ending Kernel::run(Cycles until, Cycles cycle_limit) {
  while (ending_ == Ending::none) {
    process_time();
    if (ending_ != Ending::none) break;
    if (core.cycle >= cycle_limit) {
      stop(Ending::cycle_limit, fmt::format("{} cycles have passed", core.cycle));
      break;
    }
    if (core.cycle >= until) break;
    Thread* const next = best_ready();
    if (next == nullptr) {
      if (!idle(until)) break;
      continue;
    }
    if (next->uid != current_ || next->status != ThreadStatus::running) switch_to(*next);
    switch (core.run(std::min(clock.cycle_at(next_event()), until))) {
      case RunResult::deadline:
        break;
      case RunResult::system_call:
        handle_call(core.event_code);
        break;
      case RunResult::marker:
        handle_marker(core.event_code, core.event_value);
        break;
      case RunResult::fault:
        stop(Ending::fault, describe(core.fault));
        break;
      case RunResult::blocks_full:
        if (on_blocks_full) on_blocks_full();
        core.blocks.clear();
        core.block = nullptr;
        break;
    }
    if (core.cycle - clock.cycle_at(0) > clock_rebase)
      clock.change(core.cycle, clock.cpu_megahertz(), clock.bus_megahertz());
  }
  if (current_ != 0 && ending_ != Ending::none) save_current();
  return ending_;
}

// Lets time pass while no thread can run; false when nothing will ever happen.
bool Kernel::idle(Cycles until) {
  if (threads.empty()) {
    stop(Ending::returned, "the last thread ended");
    return false;
  }
  const bool any_deadline = std::any_of(threads.begin(), threads.end(), [](const auto& one) {
    return one.second.status == ThreadStatus::waiting && one.second.wait.deadline != forever;
  });
  const bool callbacks_wait = !script_.empty();
  if (!any_deadline && !callbacks_wait) {
    stop(Ending::deadlock, "every thread waits for something that will not come");
    return false;
  }
  const Cycles wake = std::min(clock.cycle_at(next_event()), until);
  const Cycles passed = wake > core.cycle ? wake - core.cycle : 1;
  idle_cycles += passed;
  core.pass(passed);
  return true;
}

}  // namespace pspllm::simulator
