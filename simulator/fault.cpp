#include "simulator/fault.hpp"

#include <fmt/format.h>

namespace pspllm::simulator {

std::string_view name_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::none:
      return "none";
    case FaultKind::unmapped_access:
      return "unmapped_access";
    case FaultKind::misaligned_access:
      return "misaligned_access";
    case FaultKind::kernel_access:
      return "kernel_access";
    case FaultKind::volatile_access:
      return "volatile_access";
    case FaultKind::fetch:
      return "fetch";
    case FaultKind::unknown_instruction:
      return "unknown_instruction";
    case FaultKind::privileged_instruction:
      return "privileged_instruction";
    case FaultKind::vfpu_unusable:
      return "vfpu_unusable";
    case FaultKind::vfpu_overlap:
      return "vfpu_overlap";
    case FaultKind::integer_overflow:
      return "integer_overflow";
    case FaultKind::breakpoint:
      return "breakpoint";
    case FaultKind::fpu_exception:
      return "fpu_exception";
    case FaultKind::branch_in_delay_slot:
      return "branch_in_delay_slot";
    case FaultKind::stack_overflow:
      return "stack_overflow";
    case FaultKind::unmodelled:
      return "unmodelled";
  }
  return "?";
}

namespace {

std::string fpu_causes(Word cause) {
  static constexpr std::string_view names[] = {"inexact", "underflow", "overflow", "division by zero",
                                               "invalid operation"};
  std::string text;
  for (unsigned i = 0; i < 5; ++i)
    if ((cause >> (12 + i)) & 1U) text += fmt::format("{}{}", text.empty() ? "" : ", ", names[i]);
  return text;
}

}  // namespace

std::string describe(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::none:
      return "no fault";
    case FaultKind::unmapped_access:
      return fmt::format("access to unmapped address {:08x} at {:08x}", fault.address, fault.pc);
    case FaultKind::misaligned_access:
      return fmt::format("misaligned access to {:08x} at {:08x}", fault.address, fault.pc);
    case FaultKind::kernel_access:
      return fmt::format("user-mode access to kernel memory {:08x} at {:08x}", fault.address, fault.pc);
    case FaultKind::volatile_access:
      return fmt::format("access to volatile memory {:08x} at {:08x} without sceKernelVolatileMemLock",
                         fault.address, fault.pc);
    case FaultKind::fetch:
      return fmt::format("no instruction can be fetched from {:08x}", fault.address);
    case FaultKind::unknown_instruction:
      return fmt::format("the Allegrex has no instruction {:08x}, found at {:08x}", fault.detail, fault.pc);
    case FaultKind::privileged_instruction:
      return fmt::format("instruction {:08x} at {:08x} is for the kernel only", fault.detail, fault.pc);
    case FaultKind::vfpu_unusable:
      return fmt::format("VFPU instruction at {:08x} in a thread made without the VFPU attribute 0x4000",
                         fault.pc);
    case FaultKind::vfpu_overlap:
      return fmt::format("VFPU instruction {:08x} at {:08x} writes registers that it still reads",
                         fault.detail, fault.pc);
    case FaultKind::integer_overflow:
      return fmt::format("integer overflow trap at {:08x}", fault.pc);
    case FaultKind::breakpoint:
      return fmt::format("break {} at {:08x}{}", fault.detail, fault.pc,
                         fault.detail == 7 ? " (integer division by zero)" : "");
    case FaultKind::fpu_exception:
      return fmt::format("floating-point exception at {:08x}: {} (FCR31 traps are on when a thread starts)",
                         fault.pc, fpu_causes(fault.detail));
    case FaultKind::branch_in_delay_slot:
      return fmt::format("branch {:08x} in the delay slot at {:08x}", fault.detail, fault.pc);
    case FaultKind::stack_overflow:
      return fmt::format("stack overflow at {:08x}: stack pointer {:08x} is below the thread's stack",
                         fault.pc, fault.address);
    case FaultKind::unmodelled:
      return fmt::format("instruction {:08x} at {:08x} is not modelled", fault.detail, fault.pc);
  }
  return "?";
}

std::string_view name_of(HazardKind kind) {
  switch (kind) {
    case HazardKind::compare_branch:
      return "bc1 right after c.cond.s reads the old condition";
    case HazardKind::vfpu_compare_read:
      return "mfvc or vmfvc right after vcmp reads the old condition";
    case HazardKind::vfpu_prefix_ignored:
      return "VFPU prefix in force on an operation that does not take it";
    case HazardKind::vfpu_unaligned_load:
      return "lvl.q or lvr.q overwrites an FPU register on this model";
    case HazardKind::vfpu_random_sequence:
      return "vrnd: the hardware's random sequence is not modelled";
    case HazardKind::uncached_alias:
      return "uncached access to a line that the data cache holds changed";
    case HazardKind::stale_code:
      return "fetched code whose new content is only in the data cache";
    case HazardKind::stale_display_list:
      return "display list with content that is only in the data cache";
    case HazardKind::stale_frame_buffer:
      return "displayed frame buffer with content that is only in the data cache";
    case HazardKind::uninitialised_read:
      return "read of memory that nobody wrote";
    case HazardKind::volatile_unlocked:
      return "a kernel service overwrote volatile memory";
  }
  return "?";
}

}  // namespace pspllm::simulator
