#pragma once
// Single-precision IEEE-754 arithmetic of the scalar FPU, in all four rounding modes, on any host whose float
// and double are IEEE. The FPU rounds to nearest unless FCR31 says otherwise, keeps subnormal numbers unless
// FCR31.FS is set (pspautotests fpu.expected), and signals overflow, division by zero and invalid operation.
// Inexact and underflow are not signalled: enabling their traps stops the program (cpu_fpu.cpp).
//
// The bits of a NaN made by the FPU are not published. As qemu does for MIPS cores of that time: a NaN
// signals when bit 22 is set, and every NaN result is 0x7FBFFFFF.
#include "simulator/words.hpp"

namespace pspllm::simulator {

namespace fcr31 {
constexpr Word rounding_mask = 3;  // 0 nearest, 1 toward zero, 2 up, 3 down
constexpr Word flush_subnormal = 1U << 24;
constexpr Word condition = 1U << 23;
constexpr Word cause_mask = 0x3F000;
constexpr Word writable = 0x0181FFFF;  // pspautotests fcr.expected
constexpr unsigned flag_shift = 2;
constexpr unsigned enable_shift = 7;
constexpr unsigned cause_shift = 12;
// Bits of each of the three fields.
constexpr Word inexact = 1;
constexpr Word underflow = 2;
constexpr Word overflow = 4;
constexpr Word division_by_zero = 8;
constexpr Word invalid = 16;
}  // namespace fcr31

struct FpuResult {
  Word bits = 0;
  Word cause = 0;  // fcr31::inexact ...
};

// `control` is FCR31: its rounding mode and FS bit are used.
[[nodiscard]] FpuResult fpu_add(Word a, Word b, Word control);
[[nodiscard]] FpuResult fpu_subtract(Word a, Word b, Word control);
[[nodiscard]] FpuResult fpu_multiply(Word a, Word b, Word control);
[[nodiscard]] FpuResult fpu_divide(Word a, Word b, Word control);
[[nodiscard]] FpuResult fpu_square_root(Word a, Word control);
// Integer to float.
[[nodiscard]] FpuResult fpu_from_integer(Word a, Word control);
// Float to integer in rounding mode `mode` (as in FCR31); out of range saturates and is invalid.
[[nodiscard]] FpuResult fpu_to_integer(Word a, Word mode);
// c.cond.s: the condition of `kind` (0 to 15); bits is 0 or 1.
[[nodiscard]] FpuResult fpu_compare(Word a, Word b, Word kind);

}  // namespace pspllm::simulator
