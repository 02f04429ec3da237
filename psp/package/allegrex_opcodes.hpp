// The instructions that the console's processor has, and that a program may use.
//
// Sources: reference facts of the project (allegrex.md 1.2 and 2), which digest pspdev/vfpu-docs (a
// hardware-tested instruction description, public domain) and hrydgard/ppsspp's tables. Left out on purpose:
// what only the kernel may do (COP0, halt, mfic, mtic), what is not certain to exist (bltzal, bgezal and
// their likely forms), and lvl.q, lvr.q, svl.q, svr.q, which corrupt FPU registers on the PSP-1000.
#pragma once

#include <cstdint>
#include <string_view>

namespace pspllm::package {

/// The instruction's name without operands ("addiu", "c.eq.s", "vdot.q"), or empty when the Allegrex does not
/// have it. Bits that the instruction does not use must be zero, so that look-alikes of newer processors are
/// not taken for it.
[[nodiscard]] std::string_view instruction_name(std::uint32_t word);

/// An FPU comparison (c.cond.s): the next instruction must not be a branch on its result, which is not
/// interlocked.
[[nodiscard]] bool is_fpu_compare(std::uint32_t word);
[[nodiscard]] bool is_fpu_branch(std::uint32_t word);

}  // namespace pspllm::package
