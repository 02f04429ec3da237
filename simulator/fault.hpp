#pragma once
// What stops a program (a fault) and what is only reported (a hazard).
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "simulator/words.hpp"

namespace pspllm::simulator {

enum class FaultKind : Byte {
  none,
  unmapped_access,         // address: what was accessed
  misaligned_access,       // address
  kernel_access,           // address: memory that a user-mode program may not touch
  volatile_access,         // address: in the 4 MB at 0x08400000 without the volatile lock
  fetch,                   // address: where the program counter went
  unknown_instruction,     // detail: the instruction word
  privileged_instruction,  // detail: the instruction word
  vfpu_unusable,           // the thread was made without the VFPU attribute
  vfpu_overlap,            // detail: the instruction word; its result register overlaps a source
  integer_overflow,        // add, addi, sub
  breakpoint,              // detail: the code of break
  fpu_exception,           // detail: the cause bits of FCR31
  branch_in_delay_slot,    // detail: the instruction word
  stack_overflow,          // address: the new stack pointer
  unmodelled               // detail: the instruction word; hardware has it, the simulator does not
};

struct Fault {
  FaultKind kind = FaultKind::none;
  Address pc = 0;
  Address address = 0;
  Word detail = 0;
};

[[nodiscard]] std::string_view name_of(FaultKind kind);

// One sentence, without the function's name.
[[nodiscard]] std::string describe(const Fault& fault);

enum class HazardKind : Byte {
  compare_branch,        // bc1 right after c.cond.s reads the old condition
  vfpu_compare_read,     // mfvc or vmfvc right after vcmp reads the old condition
  vfpu_prefix_ignored,   // a prefix in force on an operation that does not take it
  vfpu_unaligned_load,   // lvl.q or lvr.q on a PSP-1000 writes an FPU register
  vfpu_random_sequence,  // vrnd*: the hardware's sequence is not modelled
  uncached_alias,        // uncached access to a line that the data cache holds changed
  stale_code,            // a fetched line whose new content is only in the data cache
  stale_display_list,    // a GE list with lines that are only in the data cache
  stale_frame_buffer,    // a displayed frame buffer with lines that are only in the data cache
  uninitialised_read,    // address: the first byte nobody wrote
  volatile_unlocked      // kernel service used volatile memory that the program still uses
};

[[nodiscard]] std::string_view name_of(HazardKind kind);

struct HazardRecord {
  Address address = 0;  // of the first occurrence
  DoubleWord count = 0;
};

// Each kind once per program counter, with a count.
class HazardLog {
 public:
  void report(HazardKind kind, Address pc, Address address) {
    HazardRecord& record = records_[{kind, pc}];
    if (record.count++ == 0) record.address = address;
  }
  [[nodiscard]] const std::map<std::pair<HazardKind, Address>, HazardRecord>& records() const {
    return records_;
  }

 private:
  std::map<std::pair<HazardKind, Address>, HazardRecord> records_;
};

}  // namespace pspllm::simulator
