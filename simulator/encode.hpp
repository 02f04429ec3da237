#pragma once
// Allegrex and VFPU instructions as words, for tests and benchmarks. Encodings: allegrex.md 1.2, 2.1, 2.2.
#include "simulator/words.hpp"

namespace pspllm::simulator::encode {

// General registers by their conventional names.
enum Gpr : Word {
  zero,
  at,
  v0,
  v1,
  a0,
  a1,
  a2,
  a3,
  t0,
  t1,
  t2,
  t3,
  t4,
  t5,
  t6,
  t7,
  s0,
  s1,
  s2,
  s3,
  s4,
  s5,
  s6,
  s7,
  t8,
  t9,
  k0,
  k1,
  gp,
  sp,
  s8,
  ra
};

constexpr Word nop = 0;

constexpr Word r_type(Word funct, Word rd, Word rs, Word rt, Word sa = 0) {
  return rs << 21U | rt << 16U | rd << 11U | sa << 6U | funct;
}
constexpr Word i_type(Word opcode, Word rt, Word rs, SignedWord immediate) {
  return opcode << 26U | rs << 21U | rt << 16U | (as_word(immediate) & 0xFFFFU);
}

constexpr Word addu(Word rd, Word rs, Word rt) {
  return r_type(0x21, rd, rs, rt);
}
constexpr Word add(Word rd, Word rs, Word rt) {
  return r_type(0x20, rd, rs, rt);
}
constexpr Word subu(Word rd, Word rs, Word rt) {
  return r_type(0x23, rd, rs, rt);
}
constexpr Word sltu(Word rd, Word rs, Word rt) {
  return r_type(0x2B, rd, rs, rt);
}
constexpr Word movz(Word rd, Word rs, Word rt) {
  return r_type(0x0A, rd, rs, rt);
}
constexpr Word movn(Word rd, Word rs, Word rt) {
  return r_type(0x0B, rd, rs, rt);
}
constexpr Word clz(Word rd, Word rs) {
  return r_type(0x16, rd, rs, 0);
}
constexpr Word clo(Word rd, Word rs) {
  return r_type(0x17, rd, rs, 0);
}
constexpr Word max(Word rd, Word rs, Word rt) {
  return r_type(0x2C, rd, rs, rt);
}
constexpr Word min(Word rd, Word rs, Word rt) {
  return r_type(0x2D, rd, rs, rt);
}
constexpr Word mult(Word rs, Word rt) {
  return r_type(0x18, 0, rs, rt);
}
constexpr Word multu(Word rs, Word rt) {
  return r_type(0x19, 0, rs, rt);
}
constexpr Word div(Word rs, Word rt) {
  return r_type(0x1A, 0, rs, rt);
}
constexpr Word divu(Word rs, Word rt) {
  return r_type(0x1B, 0, rs, rt);
}
constexpr Word madd(Word rs, Word rt) {
  return r_type(0x1C, 0, rs, rt);
}
constexpr Word maddu(Word rs, Word rt) {
  return r_type(0x1D, 0, rs, rt);
}
constexpr Word msub(Word rs, Word rt) {
  return r_type(0x2E, 0, rs, rt);
}
constexpr Word msubu(Word rs, Word rt) {
  return r_type(0x2F, 0, rs, rt);
}
constexpr Word mflo(Word rd) {
  return r_type(0x12, rd, 0, 0);
}
constexpr Word mfhi(Word rd) {
  return r_type(0x10, rd, 0, 0);
}
constexpr Word mtlo(Word rs) {
  return r_type(0x13, 0, rs, 0);
}
constexpr Word mthi(Word rs) {
  return r_type(0x11, 0, rs, 0);
}
constexpr Word seb(Word rd, Word rt) {
  return 0x7C000020U | rt << 16U | rd << 11U | 0x10U << 6U;
}
constexpr Word seh(Word rd, Word rt) {
  return 0x7C000020U | rt << 16U | rd << 11U | 0x18U << 6U;
}
constexpr Word wsbh(Word rd, Word rt) {
  return 0x7C000020U | rt << 16U | rd << 11U | 0x02U << 6U;
}
constexpr Word wsbw(Word rd, Word rt) {
  return 0x7C000020U | rt << 16U | rd << 11U | 0x03U << 6U;
}
constexpr Word bitrev(Word rd, Word rt) {
  return 0x7C000020U | rt << 16U | rd << 11U | 0x14U << 6U;
}
constexpr Word ext(Word rt, Word rs, Word position, Word size) {
  return 0x7C000000U | rs << 21U | rt << 16U | (size - 1U) << 11U | position << 6U;
}
constexpr Word ins(Word rt, Word rs, Word position, Word size) {
  return 0x7C000004U | rs << 21U | rt << 16U | (position + size - 1U) << 11U | position << 6U;
}
constexpr Word rotr(Word rd, Word rt, Word sa) {
  return r_type(0x02, rd, 1, rt, sa);
}

constexpr Word addiu(Word rt, Word rs, SignedWord immediate) {
  return i_type(0x09, rt, rs, immediate);
}
constexpr Word ori(Word rt, Word rs, Word immediate) {
  return i_type(0x0D, rt, rs, as_signed(immediate));
}
constexpr Word lui(Word rt, Word immediate) {
  return i_type(0x0F, rt, 0, as_signed(immediate));
}
constexpr Word lw(Word rt, SignedWord offset, Word base) {
  return i_type(0x23, rt, base, offset);
}
constexpr Word lb(Word rt, SignedWord offset, Word base) {
  return i_type(0x20, rt, base, offset);
}
constexpr Word sw(Word rt, SignedWord offset, Word base) {
  return i_type(0x2B, rt, base, offset);
}
constexpr Word cache(Word function, SignedWord offset, Word base) {
  return i_type(0x2F, function, base, offset);
}

// Branches: `distance` in instructions from the delay slot.
constexpr Word beq(Word rs, Word rt, SignedWord distance) {
  return i_type(0x04, rt, rs, distance);
}
constexpr Word bne(Word rs, Word rt, SignedWord distance) {
  return i_type(0x05, rt, rs, distance);
}
constexpr Word beql(Word rs, Word rt, SignedWord distance) {
  return i_type(0x14, rt, rs, distance);
}
constexpr Word j(Address target) {
  return 0x08000000U | ((target >> 2U) & 0x03FFFFFFU);
}
constexpr Word jal(Address target) {
  return 0x0C000000U | ((target >> 2U) & 0x03FFFFFFU);
}
constexpr Word jr(Word rs) {
  return r_type(0x08, 0, rs, 0);
}
constexpr Word syscall(Word code) {
  return 0x0CU | code << 6U;
}
constexpr Word break_(Word code) {
  return 0x0DU | code << 16U;
}

// FPU, single precision.
constexpr Word fpu(Word funct, Word fd, Word fs, Word ft) {
  return 0x46000000U | ft << 16U | fs << 11U | fd << 6U | funct;
}
constexpr Word add_s(Word fd, Word fs, Word ft) {
  return fpu(0x00, fd, fs, ft);
}
constexpr Word mul_s(Word fd, Word fs, Word ft) {
  return fpu(0x02, fd, fs, ft);
}
constexpr Word div_s(Word fd, Word fs, Word ft) {
  return fpu(0x03, fd, fs, ft);
}
constexpr Word sqrt_s(Word fd, Word fs) {
  return fpu(0x04, fd, fs, 0);
}
constexpr Word c_eq_s(Word fs, Word ft) {
  return fpu(0x32, 0, fs, ft);
}
constexpr Word bc1t(SignedWord distance) {
  return 0x45010000U | (as_word(distance) & 0xFFFFU);
}
constexpr Word mtc1(Word rt, Word fs) {
  return 0x44800000U | rt << 16U | fs << 11U;
}
constexpr Word mfc1(Word rt, Word fs) {
  return 0x44000000U | rt << 16U | fs << 11U;
}
constexpr Word ctc1(Word rt, Word fs) {
  return 0x44C00000U | rt << 16U | fs << 11U;
}

// A VFPU word: its base (operation and size, as in allegrex.md 2.2) with registers.
constexpr Word vfpu(Word base, Word vd, Word vs, Word vt = 0) {
  return base | vt << 16U | vs << 8U | vd;
}
constexpr Word lv_q(Word vt, SignedWord offset, Word base) {
  return 0xD8000000U | base << 21U | (vt & 31U) << 16U | (as_word(offset) & 0xFFFCU) | ((vt >> 5U) & 1U);
}
constexpr Word sv_q(Word vt, SignedWord offset, Word base) {
  return 0xF8000000U | base << 21U | (vt & 31U) << 16U | (as_word(offset) & 0xFFFCU) | ((vt >> 5U) & 1U);
}
constexpr Word lv_s(Word vt, SignedWord offset, Word base) {
  return 0xC8000000U | base << 21U | (vt & 31U) << 16U | (as_word(offset) & 0xFFFCU) | ((vt >> 5U) & 3U);
}
constexpr Word mtv(Word rt, Word vd) {
  return 0x48E00000U | rt << 16U | vd;
}
constexpr Word mfv(Word rt, Word vs) {
  return 0x48600000U | rt << 16U | vs;
}
constexpr Word mtvc(Word rt, Word control) {
  return 0x48E00000U | rt << 16U | control;
}
constexpr Word mfvc(Word rt, Word control) {
  return 0x48600000U | rt << 16U | control;
}
constexpr Word bvt(Word bit, SignedWord distance) {
  return 0x49010000U | bit << 18U | (as_word(distance) & 0xFFFFU);
}
constexpr Word bvf(Word bit, SignedWord distance) {
  return 0x49000000U | bit << 18U | (as_word(distance) & 0xFFFFU);
}
constexpr Word bvtl(Word bit, SignedWord distance) {
  return bvt(bit, distance) | 0x20000U;
}
constexpr Word bvfl(Word bit, SignedWord distance) {
  return bvf(bit, distance) | 0x20000U;
}
constexpr Word vnop = 0xFFFF0000;

}  // namespace pspllm::simulator::encode
