#pragma once
// What every VFPU operation does around its arithmetic: wait for lanes, apply prefixes, book its cycles,
// write lanes.
#include <array>

#include "simulator/core.hpp"
#include "simulator/decode.hpp"
#include "simulator/vfpu_float.hpp"
#include "simulator/vfpu_registers.hpp"

namespace pspllm::simulator {

using Lanes = std::array<Word, 4>;

// Prefixes that an operation takes.
namespace prefixes {
constexpr unsigned s = 1;
constexpr unsigned t = 2;
constexpr unsigned d = 4;
constexpr unsigned none = 0;
}  // namespace prefixes

// What an operation occupies and when its result is there.
struct VfpuCost {
  Cycles cycles = 1;
  Cycles latency = 1;
};

// Refuses threads without the VFPU; waits until it is free.
[[nodiscard]] inline bool vfpu_begin(Core& core) {
  if (!core.vfpu_usable) [[unlikely]]
    return fail(core, FaultKind::vfpu_unusable, 0);
  if (core.vfpu_free > core.cycle) stall(core, Cause::vfpu, core.vfpu_free - core.cycle);
  return true;
}

// The prefix that applies to source `which` (0 s, 1 t) or, when none is in force, the default.
[[nodiscard]] inline bool prefixes_active(const Core& core) {
  return core.vfpu_control[0] != vfpu_control::default_source_prefix ||
         core.vfpu_control[1] != vfpu_control::default_source_prefix || core.vfpu_control[2] != 0;
}

[[nodiscard]] Lanes apply_source_prefix(const Lanes& lanes, Word prefix, unsigned n);

// Lane values of a vector source, after waiting for them. `which`: prefixes::s or prefixes::t or none.
template <unsigned n>
[[nodiscard]] inline Lanes read_vector(Core& core, Byte r, unsigned which) {
  const VectorLanes& lanes = vector_table[n][r];
  Lanes values{};
  for (unsigned i = 0; i < n; ++i) {
    wait_for(core, scoreboard::vpr + lanes[i]);
    values[i] = core.vpr[lanes[i]];
  }
  if (which != prefixes::none) {
    const Word prefix = core.vfpu_control[which - 1U];
    if (prefix != vfpu_control::default_source_prefix) [[unlikely]]
      return apply_source_prefix(values, prefix, n);
  }
  return values;
}

// Books the operation at the present cycle; the cycle from which its result may be read.
[[nodiscard]] inline Cycles vfpu_issue(Core& core, VfpuCost cost) {
  Cycles done = core.cycle + cost.latency;
  if (core.timing[Constant::vfpu_ordered_writes] != 0 && done <= core.vfpu_last_write)
    done = core.vfpu_last_write + 1;
  core.vfpu_last_write = std::max(core.vfpu_last_write, done);
  core.vfpu_free = core.cycle + cost.cycles;
  ++core.cycle;
  if (cost.cycles > 1 && core.timing[Constant::vfpu_blocks_issue] != 0)
    stall(core, Cause::vfpu, cost.cycles - 1);
  return done;
}

inline void reset_prefixes(Core& core) {
  core.vfpu_control[0] = vfpu_control::default_source_prefix;
  core.vfpu_control[1] = vfpu_control::default_source_prefix;
  core.vfpu_control[2] = 0;
}

// Ends the operation's use of prefixes; those in force that it does not take are reported.
void consume_active_prefixes(Core& core, unsigned taken);

inline void consume_prefixes(Core& core, unsigned taken) {
  if (prefixes_active(core)) [[unlikely]]
    consume_active_prefixes(core, taken);
}

// Writes one lane; its result is there at `done`.
inline void write_lane(Core& core, Byte index, Word value, Cycles done) {
  core.vpr[index] = value;
  core.ready[scoreboard::vpr + index] = done;
  core.cause[scoreboard::vpr + index] = Cause::vfpu;
}

void write_prefixed(Core& core, const VectorLanes& lanes, const Lanes& values, unsigned n, Cycles done);

// Issues the operation and writes its n result lanes, with the d prefix when taken.
template <unsigned n>
inline void write_vector(Core& core, Byte r, const Lanes& values, VfpuCost cost, unsigned taken) {
  const Cycles done = vfpu_issue(core, cost);
  const VectorLanes& lanes = vector_table[n][r];
  if ((taken & prefixes::d) && core.vfpu_control[vfpu_control::prefix_d] != 0) [[unlikely]] {
    write_prefixed(core, lanes, values, n, done);
  } else {
    for (unsigned i = 0; i < n; ++i) write_lane(core, lanes[i], values[i], done);
  }
  consume_prefixes(core, taken);
}

[[nodiscard]] inline VfpuCost move_cost(const Core& core) {
  return {1, core.timing[Constant::vfpu_move_latency]};
}
[[nodiscard]] inline VfpuCost arithmetic_cost(const Core& core) {
  return {1, core.timing[Constant::vfpu_arithmetic_latency]};
}
[[nodiscard]] inline VfpuCost reduction_cost(const Core& core) {
  return {1, core.timing[Constant::vfpu_reduction_latency]};
}

// The instruction's fields.
[[nodiscard]] constexpr Byte vd_of(Word word) {
  return static_cast<Byte>(word & 0x7FU);
}
[[nodiscard]] constexpr Byte vs_of(Word word) {
  return static_cast<Byte>((word >> 8U) & 0x7FU);
}
[[nodiscard]] constexpr Byte vt_of(Word word) {
  return static_cast<Byte>((word >> 16U) & 0x7FU);
}
// Lanes of a vector operation, 1 to 4.
[[nodiscard]] constexpr unsigned lanes_of(Word word) {
  return 1U + ((word >> 7U) & 1U) + ((word >> 15U) & 1U) * 2U;
}

// One handler for each size; nullptr: that size does not exist.
struct SizedHandlers {
  std::array<Handler, 5> of{};  // [lanes]
};

// True when result and source share a register although the operation is made of several steps.
[[nodiscard]] bool vectors_overlap(unsigned n, Byte a, unsigned m, Byte b);

// Each fills `decoded` when the word is one of its operations.
[[nodiscard]] bool decode_vfpu_arithmetic(Word word, Decoded& decoded);
[[nodiscard]] bool decode_vfpu_compare(Word word, Decoded& decoded);
[[nodiscard]] bool decode_vfpu_convert(Word word, Decoded& decoded);
[[nodiscard]] bool decode_vfpu_constant(Word word, Decoded& decoded);
[[nodiscard]] bool decode_vfpu_function(Word word, Decoded& decoded);
[[nodiscard]] bool decode_vfpu_matrix(Word word, Decoded& decoded);
[[nodiscard]] bool decode_vfpu_memory(Word word, const DecodeContext& context, Decoded& decoded);
[[nodiscard]] bool decode_vfpu_control(Word word, Decoded& decoded);

[[nodiscard]] bool execute_vfpu_overlap(Core& core, const MicroOp& op);

}  // namespace pspllm::simulator
