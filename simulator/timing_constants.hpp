#pragma once
// Every number that the timing model is made of: one table, each row with its source and how sure it is.
//
// Sources: [inst] = vfpu-docs docs/reference-outputs/inst_cycles.txt (PSP-3000, 333/166 MHz), [mem] = the
// same folder's mem_cycles.txt (PSP-1000), [loops] = read out of those figures with the test loops that made
// them (docs/simulator.md says how), [doc] = stated in prose by the vfpu-docs project, [wiki] =
// wiki.pspdev.org hardware_specifications, [guess] = nobody has published a measurement. All cycles are CPU
// cycles; those of the memory are at a CPU clock of twice the bus clock and are scaled to other ratios
// (MemoryTiming in cache.hpp).
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "simulator/words.hpp"

namespace pspllm::simulator {

enum class Constant : std::size_t {
  load_latency,
  multiply_latency,
  multiply_accumulate_latency,
  divide_latency,
  divide_blocks_issue,
  taken_branch_bubbles,
  jump_bubbles,
  nullified_slot_cycles,
  jump_register_extra_latency,
  fpu_latency,
  fpu_move_latency,
  fpu_divide_latency,
  fpu_divide_cycles,
  fpu_sqrt_latency,
  fpu_sqrt_cycles,
  fpu_load_latency,
  move_to_fpu_latency,
  move_from_fpu_latency,
  vfpu_move_latency,
  vfpu_arithmetic_latency,
  vfpu_reduction_latency,
  vfpu_transform_extra,
  vfpu_scale_extra,
  vfpu_matrix_move_extra,
  vfpu_divide_cycles,
  vfpu_divide_extra,
  vfpu_random_cycles,
  vfpu_random_extra,
  vfpu_rotate_cycles,
  vfpu_ordered_writes,
  vfpu_blocks_issue,
  vfpu_load_latency,
  vfpu_store_quad_cycles,
  move_to_vfpu_latency,
  move_from_vfpu_latency,
  vfpu_compare_branch_latency,
  vfpu_compare_move_latency,
  fill_sequential_cycles,
  fill_random_cycles,
  open_row_bytes,
  fill_vram_cycles,
  fill_scratchpad_cycles,
  dirty_eviction_cycles,
  prefetch_overlaps,
  cache_operation_cycles,
  uncached_read_cycles,
  uncached_write_cycles,
  kernel_call_cycles,
  thread_switch_cycles,
  vblank_interrupt_cycles,
  stick_read_kilobytes_per_second,
  stick_write_kilobytes_per_second,
  stick_call_microseconds,
  stick_open_microseconds,
  count
};

constexpr std::size_t constant_count = static_cast<std::size_t>(Constant::count);

// measured: published figures from hardware; derived: follows from published figures; guessed: unknown.
enum class Sureness { measured, derived, guessed };

struct ConstantInfo {
  Constant key;
  std::string_view name;
  Word conservative;  // what a run uses unless told otherwise: never faster than hardware, as far as known
  Word optimistic;    // the other end of what is possible
  Sureness sureness;
  std::string_view source;
};

constexpr std::array<ConstantInfo, constant_count> constant_table{{
    {Constant::load_latency, "load_latency", 3, 3, Sureness::measured, "[mem] pointer chase, hits: 3.04"},
    {Constant::multiply_latency, "multiply_latency", 6, 6, Sureness::measured,
     "[inst] mult + mflo pairs take 7.08, so mflo issues 6 after mult"},
    {Constant::multiply_accumulate_latency, "multiply_accumulate_latency", 6, 1, Sureness::guessed,
     "[guess] madd after mult or madd: as mflo, or pipelined through HI/LO"},
    {Constant::divide_latency, "divide_latency", 20, 20, Sureness::measured,
     "[inst] div + mflo 21.25; div 20.25"},
    {Constant::divide_blocks_issue, "divide_blocks_issue", 1, 0, Sureness::guessed,
     "[guess] 1: nothing issues while div, div.s or sqrt.s runs"},
    {Constant::taken_branch_bubbles, "taken_branch_bubbles", 2, 2, Sureness::measured,
     "[inst] beq/bvt/bvf 4.07 with the slot"},
    {Constant::jump_bubbles, "jump_bubbles", 1, 1, Sureness::measured,
     "[inst] j 3.05, jr 3.06 with the slot"},
    {Constant::nullified_slot_cycles, "nullified_slot_cycles", 1, 0, Sureness::guessed,
     "[guess] the delay slot of a likely branch that falls through"},
    {Constant::jump_register_extra_latency, "jump_register_extra_latency", 1, 0, Sureness::derived,
     "[doc] undefined-behaviour.c: jumps resolve one stage before branches, so jr may need its register "
     "earlier"},
    {Constant::fpu_latency, "fpu_latency", 5, 5, Sureness::measured, "[inst] add.s 5.05, mul.s 5.05"},
    {Constant::fpu_move_latency, "fpu_move_latency", 5, 1, Sureness::guessed, "[guess] mov.s, neg.s, abs.s"},
    {Constant::fpu_divide_latency, "fpu_divide_latency", 31, 31, Sureness::measured, "[inst] div.s 31.27"},
    {Constant::fpu_divide_cycles, "fpu_divide_cycles", 30, 30, Sureness::measured, "[inst] div.s 30.26"},
    {Constant::fpu_sqrt_latency, "fpu_sqrt_latency", 30, 30, Sureness::measured, "[inst] sqrt.s 30.26"},
    {Constant::fpu_sqrt_cycles, "fpu_sqrt_cycles", 29, 29, Sureness::measured, "[inst] sqrt.s 29.26"},
    {Constant::fpu_load_latency, "fpu_load_latency", 4, 3, Sureness::guessed,
     "[guess] lwc1: as lw, or one more"},
    {Constant::move_to_fpu_latency, "move_to_fpu_latency", 5, 1, Sureness::guessed, "[guess] mtc1"},
    {Constant::move_from_fpu_latency, "move_from_fpu_latency", 3, 1, Sureness::guessed, "[guess] mfc1, cfc1"},
    {Constant::vfpu_move_latency, "vfpu_move_latency", 3, 3, Sureness::measured,
     "[inst] vmov, vabs, vc2i, vi2c, vcst ... 3.04"},
    {Constant::vfpu_arithmetic_latency, "vfpu_arithmetic_latency", 5, 5, Sureness::measured,
     "[inst] vadd, vmul, vmin, vi2f, vf2h ... 5.06"},
    {Constant::vfpu_reduction_latency, "vfpu_reduction_latency", 7, 7, Sureness::measured,
     "[inst] vdot, vfad, vavg, vdet 7.07; their throughput of 1.20 is a dependence inside the test loop "
     "[loops]"},
    {Constant::vfpu_transform_extra, "vfpu_transform_extra", 6, 6, Sureness::measured,
     "[inst] N operations in a row (vtfm, vmmul, vsin ...): N cycles, latency N + 6"},
    {Constant::vfpu_scale_extra, "vfpu_scale_extra", 4, 4, Sureness::measured,
     "[inst] vmscl: N, latency N + 4"},
    {Constant::vfpu_matrix_move_extra, "vfpu_matrix_move_extra", 2, 2, Sureness::measured,
     "[inst] vmmov, vmzero, vmone, vmidt: N, latency N + 2"},
    {Constant::vfpu_divide_cycles, "vfpu_divide_cycles", 14, 14, Sureness::measured,
     "[inst] vdiv: 14 a lane"},
    {Constant::vfpu_divide_extra, "vfpu_divide_extra", 3, 3, Sureness::measured, "[inst] vdiv: 14 N + 3"},
    {Constant::vfpu_random_cycles, "vfpu_random_cycles", 3, 3, Sureness::measured, "[inst] vrndi: 3 a lane"},
    {Constant::vfpu_random_extra, "vfpu_random_extra", 2, 2, Sureness::measured, "[inst] vrndi: 3 N + 2"},
    {Constant::vfpu_rotate_cycles, "vfpu_rotate_cycles", 2, 2, Sureness::measured,
     "[inst] vrot 2.03, latency 7 or 8"},
    {Constant::vfpu_ordered_writes, "vfpu_ordered_writes", 1, 0, Sureness::derived,
     "[doc] performance/README: a short operation completes after a longer one before it; 1: one write a "
     "cycle in order"},
    {Constant::vfpu_blocks_issue, "vfpu_blocks_issue", 1, 0, Sureness::guessed,
     "[guess] 1: nothing issues while a VFPU operation of several cycles occupies the VFPU"},
    {Constant::vfpu_load_latency, "vfpu_load_latency", 7, 3, Sureness::guessed,
     "[guess] lv.s, lv.q to first use"},
    {Constant::vfpu_store_quad_cycles, "vfpu_store_quad_cycles", 2, 1, Sureness::guessed, "[guess] sv.q"},
    {Constant::move_to_vfpu_latency, "move_to_vfpu_latency", 5, 3, Sureness::guessed,
     "[guess] mtv, mtvc, vmtvc"},
    {Constant::move_from_vfpu_latency, "move_from_vfpu_latency", 8, 3, Sureness::guessed,
     "[guess] mfv, mfvc, vmfvc"},
    {Constant::vfpu_compare_branch_latency, "vfpu_compare_branch_latency", 8, 8, Sureness::measured,
     "[inst] vcmp to bvt 8.1"},
    {Constant::vfpu_compare_move_latency, "vfpu_compare_move_latency", 5, 1, Sureness::guessed,
     "[guess] vcmp to vcmov"},
    {Constant::fill_sequential_cycles, "fill_sequential_cycles", 56, 56, Sureness::measured,
     "[mem] lw stream 56.3, lv.q stream 55.8, pointer chase 53.8 a line"},
    {Constant::fill_random_cycles, "fill_random_cycles", 70, 70, Sureness::measured,
     "[mem] random chase over 4 MB: 72.46 an access; fits 70 a miss at every size"},
    {Constant::open_row_bytes, "open_row_bytes", 0, 2048, Sureness::guessed,
     "[guess] a fill from the memory row of this size that the last fill opened counts as sequential; 0: "
     "next line only"},
    {Constant::fill_vram_cycles, "fill_vram_cycles", 70, 44, Sureness::guessed,
     "[wiki] CPU read about 44; else as RAM"},
    {Constant::fill_scratchpad_cycles, "fill_scratchpad_cycles", 56, 38, Sureness::guessed,
     "[wiki] read about 38; else as RAM"},
    {Constant::dirty_eviction_cycles, "dirty_eviction_cycles", 56, 0, Sureness::guessed,
     "[guess] writing a changed line back: a whole transfer, or hidden behind a write buffer"},
    {Constant::prefetch_overlaps, "prefetch_overlaps", 0, 1, Sureness::guessed,
     "[guess] 1: cache 0x1E returns at once and its fill runs beside the program"},
    {Constant::cache_operation_cycles, "cache_operation_cycles", 2, 1, Sureness::guessed,
     "[guess] a cache instruction"},
    {Constant::uncached_read_cycles, "uncached_read_cycles", 70, 40, Sureness::guessed, "[wiki] like a miss"},
    {Constant::uncached_write_cycles, "uncached_write_cycles", 20, 2, Sureness::guessed,
     "[guess] one bus transfer, or taken by the write buffer"},
    {Constant::kernel_call_cycles, "kernel_call_cycles", 600, 150, Sureness::guessed,
     "[guess] entering and leaving"},
    {Constant::thread_switch_cycles, "thread_switch_cycles", 600, 200, Sureness::guessed, "[guess]"},
    {Constant::vblank_interrupt_cycles, "vblank_interrupt_cycles", 40000, 0, Sureness::derived,
     "[loops] every published loop runs about 0.75 % longer than its own cycles: the system's interrupts"},
    {Constant::stick_read_kilobytes_per_second, "stick_read_kilobytes_per_second", 10000, 15000,
     Sureness::guessed, "5 to 15 MB/s is usual for a Memory Stick PRO Duo"},
    {Constant::stick_write_kilobytes_per_second, "stick_write_kilobytes_per_second", 4000, 10000,
     Sureness::guessed, "[guess]"},
    {Constant::stick_call_microseconds, "stick_call_microseconds", 300, 100, Sureness::guessed,
     "[guess] a read or write"},
    {Constant::stick_open_microseconds, "stick_open_microseconds", 3000, 1000, Sureness::guessed,
     "[guess] open, create, list, remove"},
}};

static_assert(
    [] {
      for (std::size_t i = 0; i < constant_count; ++i)
        if (static_cast<std::size_t>(constant_table[i].key) != i) return false;
      return true;
    }(),
    "the rows of constant_table stand in the order of Constant");

// The values of one run. Default: conservative.
struct Timing {
  std::array<Word, constant_count> values{};

  [[nodiscard]] constexpr Word operator[](Constant key) const {
    return values[static_cast<std::size_t>(key)];
  }
  constexpr void set(Constant key, Word value) { values[static_cast<std::size_t>(key)] = value; }
};

[[nodiscard]] constexpr Timing conservative_timing() {
  Timing timing;
  for (const ConstantInfo& row : constant_table) timing.set(row.key, row.conservative);
  return timing;
}

[[nodiscard]] constexpr Timing optimistic_timing() {
  Timing timing;
  for (const ConstantInfo& row : constant_table) timing.set(row.key, row.optimistic);
  return timing;
}

[[nodiscard]] constexpr std::optional<Constant> constant_named(std::string_view name) {
  for (const ConstantInfo& row : constant_table)
    if (row.name == name) return row.key;
  return std::nullopt;
}

}  // namespace pspllm::simulator
