#pragma once
// The processor's state, its scoreboard, and the small functions that every instruction is made of.
//
// Timing: one instruction issues a cycle, in order. `ready[r]` is the cycle from which register r may be
// read; an instruction waits for its sources, then takes its own issue cycles. Waiting is booked by cause on
// the block that runs. The numbers come from Timing (timing_constants.hpp).
#include <array>

#include "simulator/block.hpp"
#include "simulator/cache.hpp"
#include "simulator/fault.hpp"
#include "simulator/memory.hpp"
#include "simulator/micro_op.hpp"
#include "simulator/timing_constants.hpp"
#include "simulator/words.hpp"

namespace pspllm::simulator {

// Places in Core::ready.
namespace scoreboard {
constexpr unsigned gpr = 0;       // 0..31
constexpr unsigned discard = 32;  // what is written to $zero
constexpr unsigned hi_lo = 33;
constexpr unsigned vfpu_condition = 34;
constexpr unsigned fpr = 64;   // 64..95
constexpr unsigned vpr = 128;  // 128..255
constexpr unsigned count = 256;
}  // namespace scoreboard

// VFPU control registers, as numbered by mfvc less 128.
namespace vfpu_control {
constexpr unsigned prefix_s = 0;
constexpr unsigned prefix_t = 1;
constexpr unsigned prefix_d = 2;
constexpr unsigned condition = 3;
constexpr unsigned revision = 7;
constexpr unsigned random0 = 8;
constexpr Word default_source_prefix = 0xE4;
}  // namespace vfpu_control

constexpr Word initial_fcr31 = 0x00000E00;  // overflow, division by zero and invalid operation trap

// What a thread owns of the processor.
struct ThreadState {
  std::array<Word, 33> gpr{};  // [32] swallows writes to $zero
  Word hi = 0;
  Word lo = 0;
  std::array<Word, 32> fpr{};
  Word fcr31 = initial_fcr31;
  Address pc = 0;
  alignas(16) std::array<Word, 128> vpr{};  // matrix * 16 + column * 4 + row
  std::array<Word, 16> vfpu_control{vfpu_control::default_source_prefix,
                                    vfpu_control::default_source_prefix,
                                    0,
                                    0,
                                    0,
                                    0,
                                    0,
                                    0x7772CEAB,
                                    0x3F800001,
                                    0x3F800002,
                                    0x3F800004,
                                    0x3F800008,
                                    0x3F800000,
                                    0x3F800000,
                                    0x3F800000,
                                    0x3F800000};
};

// Why Core::run came back.
enum class RunResult { deadline, system_call, marker, fault, blocks_full };

class BlockCache;

struct Core : ThreadState {
  Core(Memory& memory_in, HazardLog& hazards_in, BlockCache& blocks_in, const Timing& timing_in);

  // Runs until the cycle counter reaches `deadline` (a block may overshoot it), or something happens.
  [[nodiscard]] RunResult run(Cycles deadline);

  void set_clock(Word cpu_megahertz, Word bus_megahertz);

  // Adds waiting that no instruction caused (kernel, idle).
  void pass(Cycles cycles) { cycle += cycles; }

  Cycles cycle = 0;
  std::array<Cycles, scoreboard::count> ready{};
  std::array<Cause, scoreboard::count> cause{};
  Timing timing;
  DataCache data_cache;
  InstructionCache instruction_cache;
  Memory& memory;
  HazardLog& hazards;
  BlockCache& blocks;

  // Fast path of data accesses: cached user RAM.
  Byte* user_data = nullptr;
  Word user_bytes = 0;

  Block* block = nullptr;                 // the one that runs
  Address next_pc = 0;                    // where the block's branch leads
  Word branch_bubbles = 0;                // set by a taken branch
  bool nullify_slot = false;              // set by a likely branch that falls through
  RunResult event = RunResult::deadline;  // set by syscall and markers
  Word event_code = 0;
  Word event_value = 0;
  Fault fault;

  bool vfpu_usable = true;            // of the running thread
  Address stack_bottom = 0;           // of the running thread; 0: not checked
  Address stack_lowest = 0xFFFFFFFF;  // lowest stack pointer of the running thread
  bool unaligned_vfpu_load_corrupts_fpu = false;

  Cycles compare_cycle = ~Cycles{0};       // issue of the last c.cond.s
  bool old_condition = false;              // the FPU condition before it
  Cycles vfpu_compare_cycle = ~Cycles{0};  // issue of the last vcmp
  Word old_vfpu_condition = 0;
  bool load_linked = false;  // set by ll, cleared by every return from the kernel
  Cycles fpu_free = 0;
  Cycles vfpu_free = 0;
  Cycles vfpu_last_write = 0;
  DoubleWord approximate_operations = 0;  // VFPU functions whose last bits differ from hardware

  DoubleWord instructions = 0;
};

// Books `cycles` of waiting and lets them pass.
inline void stall(Core& core, Cause cause, Cycles cycles) {
  core.block->statistics.stalls[static_cast<std::size_t>(cause)] += cycles;
  core.cycle += cycles;
}

inline void wait_for(Core& core, unsigned place) {
  if (core.ready[place] > core.cycle) [[unlikely]]
    stall(core, core.cause[place], core.ready[place] - core.cycle);
}

// The result in `place` can be used `latency` cycles after the present issue.
inline void produce(Core& core, unsigned place, Cycles latency, Cause cause) {
  core.ready[place] = core.cycle + latency;
  core.cause[place] = cause;
}

// A general register whose result the next instruction can use.
inline void set_gpr(Core& core, Byte d, Word value) {
  core.gpr[d] = value;
  core.ready[d] = 0;
}

// Records why the program stops; the address of the instruction is filled in by Core::run.
[[nodiscard]] bool fail(Core& core, FaultKind kind, Address address, Word detail = 0);

// --- data accesses
// -------------------------------------------------------------------------------------------

enum class Access { load, store };

[[nodiscard]] Byte* slow_access(Core& core, Address address, Word size, Access access);
void miss_access(Core& core, Word line, Word changed);
void report_undefined(Core& core, const MicroOp& op, Address address, Word size);

// The bytes of an aligned access, after its cache timing; nullptr after a fault.
template <Access access, Word size>
[[nodiscard]] inline Byte* data_access(Core& core, Address address) {
  const Word offset = address - user_base;
  if (offset < core.user_bytes && (address & (size - 1U)) == 0) [[likely]] {
    const Word line = address >> line_shift;
    constexpr Word changed = access == Access::store ? DataCache::dirty_bit : 0;
    if (!core.data_cache.hit(line, changed)) [[unlikely]]
      miss_access(core, line, changed);
    return core.user_data + offset;
  }
  return slow_access(core, address, size, access);
}

}  // namespace pspllm::simulator
