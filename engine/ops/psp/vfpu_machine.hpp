// The VFPU's instructions as inline words: GNU's assembler knows the vector loads only as coprocessor-2
// loads, after which it puts a nop for older processors, and the arithmetic not at all. Encodings:
// hrydgard/ppsspp Core/MIPS and pspdev/vfpu-docs inst-vfpu-desc.yaml. Everything is emitted in program order
// (volatile). Included by vfpu.hpp.
#pragma once

#include <cstdint>

#include "engine/ops/psp/vfpu_registers.hpp"

// The number of a general register by its name, for words that hold one: gpr_$4 is 4.
asm(".set gpr_$0, 0; .set gpr_$1, 1; .set gpr_$2, 2; .set gpr_$3, 3; .set gpr_$4, 4; .set gpr_$5, 5;"
    ".set gpr_$6, 6; .set gpr_$7, 7; .set gpr_$8, 8; .set gpr_$9, 9; .set gpr_$10, 10; .set gpr_$11, 11;"
    ".set gpr_$12, 12; .set gpr_$13, 13; .set gpr_$14, 14; .set gpr_$15, 15; .set gpr_$16, 16;"
    ".set gpr_$17, 17; .set gpr_$18, 18; .set gpr_$19, 19; .set gpr_$20, 20; .set gpr_$21, 21;"
    ".set gpr_$22, 22; .set gpr_$23, 23; .set gpr_$24, 24; .set gpr_$25, 25; .set gpr_$26, 26;"
    ".set gpr_$27, 27; .set gpr_$28, 28; .set gpr_$sp, 29; .set gpr_$fp, 30; .set gpr_$31, 31");

namespace pspllm::psp::vfpu {

namespace encoding {

inline constexpr std::uint32_t vadd_q = 0x60008080;
inline constexpr std::uint32_t vsub_q = 0x60808080;
inline constexpr std::uint32_t vmul_q = 0x64008080;
inline constexpr std::uint32_t vdiv_q = 0x63808080;
inline constexpr std::uint32_t vscl_q = 0x65008080;
inline constexpr std::uint32_t vmax_q = 0x6d808080;
inline constexpr std::uint32_t vtfm4_q = 0xf1808080;
inline constexpr std::uint32_t vabs_q = 0xd0018080;
inline constexpr std::uint32_t vzero_q = 0xd0068080;
inline constexpr std::uint32_t vc2i_s = 0xd0390000;
inline constexpr std::uint32_t vi2f_q = 0xd2808080;
inline constexpr std::uint32_t vf2in_q = 0xd2008080;
inline constexpr std::uint32_t vf2iz_q = 0xd2208080;
inline constexpr std::uint32_t vadd_s = 0x60000000;
inline constexpr std::uint32_t vdiv_s = 0x63800000;
inline constexpr std::uint32_t viim_s = 0xdf000000;
inline constexpr std::uint32_t vpfxs = 0xdc000000;
inline constexpr std::uint32_t lv_q = 0xd8000000;
inline constexpr std::uint32_t sv_q = 0xf8000000;
inline constexpr std::uint32_t lv_s = 0xc8000000;
inline constexpr std::uint32_t sv_s = 0xe8000000;
inline constexpr std::uint32_t vh2f_p = 0xd0330080;
inline constexpr std::uint32_t vf2h_q = 0xd0328080;
/// The pair of lanes 2 and 3 of a quad's number.
inline constexpr std::uint32_t upper_pair = 0x40;
inline constexpr std::uint32_t mfv = 0x48600000;
/// ins rt, rs, shift, 8
[[nodiscard]] constexpr std::uint32_t insert_byte(std::uint32_t shift) noexcept {
  return 0x7c000004 | (shift + 8 - 1) << 11 | shift << 6;
}

[[nodiscard]] constexpr std::uint32_t two_operands(std::uint32_t base, std::uint32_t d,
                                                   std::uint32_t s) noexcept {
  return base | s << 8 | d;
}
[[nodiscard]] constexpr std::uint32_t three_operands(std::uint32_t base, std::uint32_t d, std::uint32_t s,
                                                     std::uint32_t t) noexcept {
  return base | t << 16 | s << 8 | d;
}

}  // namespace encoding

template <std::uint32_t Word>
[[gnu::always_inline]] inline void issue() noexcept {
  asm volatile(".word %0" : : "i"(Word));
}

/// d = s + t, and so on, lane by lane; IEEE round to nearest, subnormals as zero.
template <Quad D, Quad S, Quad T>
[[gnu::always_inline]] inline void add() noexcept {
  issue<encoding::three_operands(encoding::vadd_q, D.number, S.number, T.number)>();
}
template <Quad D, Quad S, Quad T>
[[gnu::always_inline]] inline void subtract() noexcept {
  issue<encoding::three_operands(encoding::vsub_q, D.number, S.number, T.number)>();
}
template <Quad D, Quad S, Quad T>
[[gnu::always_inline]] inline void multiply() noexcept {
  issue<encoding::three_operands(encoding::vmul_q, D.number, S.number, T.number)>();
}
template <Quad D, Quad S, Quad T>
[[gnu::always_inline]] inline void divide() noexcept {
  issue<encoding::three_operands(encoding::vdiv_q, D.number, S.number, T.number)>();
}
template <Quad D, Quad S, Quad T>
[[gnu::always_inline]] inline void maximum() noexcept {
  issue<encoding::three_operands(encoding::vmax_q, D.number, S.number, T.number)>();
}
/// d = s * t, t one register.
template <Quad D, Quad S, Single T>
[[gnu::always_inline]] inline void scale() noexcept {
  issue<encoding::three_operands(encoding::vscl_q, D.number, S.number, T.number)>();
}
/// d[i] = column i of matrix M . v. D must not lie in M or be V.
template <Quad D, std::uint32_t Matrix, Quad V>
[[gnu::always_inline]] inline void transform() noexcept {
  issue<encoding::three_operands(encoding::vtfm4_q, D.number, Matrix * 4, V.number)>();
}
template <Quad D, Quad S>
[[gnu::always_inline]] inline void absolute() noexcept {
  issue<encoding::two_operands(encoding::vabs_q, D.number, S.number)>();
}
template <Quad D>
[[gnu::always_inline]] inline void zero() noexcept {
  issue<encoding::two_operands(encoding::vzero_q, D.number, 0)>();
}
/// The four signed bytes of s, each in the top byte of an integer lane of d.
template <Quad D, Single S>
[[gnu::always_inline]] inline void unpack_bytes() noexcept {
  issue<encoding::two_operands(encoding::vc2i_s, D.number, S.number)>();
}
/// d = float(integer lanes of s) * 2^-Bits.
template <Quad D, Quad S, std::uint32_t Bits>
[[gnu::always_inline]] inline void to_float() noexcept {
  issue<encoding::two_operands(encoding::vi2f_q, D.number, S.number) | Bits << 16>();
}
/// Integer lanes of d = s * 2^Bits, cut towards zero.
template <Quad D, Quad S, std::uint32_t Bits>
[[gnu::always_inline]] inline void to_integer() noexcept {
  issue<encoding::two_operands(encoding::vf2iz_q, D.number, S.number) | Bits << 16>();
}

/// Integer lanes of d = s * 2^Bits, rounded to nearest even.
template <Quad D, Quad S, std::uint32_t Bits>
[[gnu::always_inline]] inline void to_nearest_integer() noexcept {
  issue<encoding::two_operands(encoding::vf2in_q, D.number, S.number) | Bits << 16>();
}
/// d = max(s, t) with the lanes of s in the order Swizzle (two bits a lane, lane 0 lowest).
template <Quad D, Quad S, Quad T, std::uint32_t Swizzle>
[[gnu::always_inline]] inline void maximum_swizzled() noexcept {
  issue<encoding::vpfxs | Swizzle>();
  maximum<D, S, T>();
}
template <Single D, Single S, Single T>
[[gnu::always_inline]] inline void add() noexcept {
  issue<encoding::three_operands(encoding::vadd_s, D.number, S.number, T.number)>();
}
template <Single D, Single S, Single T>
[[gnu::always_inline]] inline void divide() noexcept {
  issue<encoding::three_operands(encoding::vdiv_s, D.number, S.number, T.number)>();
}
/// d = a whole number.
template <Single D, std::int16_t Value>
[[gnu::always_inline]] inline void set() noexcept {
  issue<encoding::viim_s | D.number << 16 | static_cast<std::uint16_t>(Value)>();
}
/// The bits of a register.
template <Single S>
[[nodiscard, gnu::always_inline]] inline std::uint32_t bits_of() noexcept {
  std::uint32_t bits = 0;
  asm volatile(".word %1 | gpr_%0 << 16" : "=r"(bits) : "i"(encoding::mfv | S.number));
  return bits;
}

namespace encoding {

/// Register and offset of lv.q and sv.q; whether the register is a row stands in the offset's lowest bit.
[[nodiscard]] constexpr std::uint32_t quad_access(std::uint32_t base, Quad quad, int offset) noexcept {
  return base | (quad.number & 31U) << 16 | static_cast<std::uint16_t>(offset) | quad.number >> 5;
}
/// The same for lv.s and sv.s: the register's row stands in the offset's two lowest bits.
[[nodiscard]] constexpr std::uint32_t single_access(std::uint32_t base, Single single, int offset) noexcept {
  return base | (single.number & 31U) << 16 | static_cast<std::uint16_t>(offset) | single.number >> 5;
}

}  // namespace encoding

template <std::uint32_t Word>
[[gnu::always_inline]] inline void access(const void* address) noexcept {
  asm volatile(".word %1 | gpr_%0 << 21" : : "r"(address), "i"(Word) : "memory");
}

/// The byte at Offset, loaded where it stands in the program: lbu.
template <int Offset>
[[nodiscard, gnu::always_inline]] inline std::uint32_t load_byte(const std::uint8_t* from) noexcept {
  std::uint32_t byte = 0;
  asm volatile("lbu %0, %2(%1)" : "=r"(byte) : "r"(from), "i"(Offset));
  return byte;
}
/// The four half floats in lanes 2 * Pair and 2 * Pair + 1 of s as floats.
template <Quad D, Quad S, std::uint32_t Pair>
[[gnu::always_inline]] inline void halves_to_float() noexcept {
  issue<encoding::two_operands(encoding::vh2f_p, D.number, S.number | Pair * encoding::upper_pair)>();
}
/// Lanes 2 * Pair and 2 * Pair + 1 of d = the four floats of s as half floats, cut towards zero.
template <Quad D, Quad S, std::uint32_t Pair>
[[gnu::always_inline]] inline void to_halves() noexcept {
  issue<encoding::two_operands(encoding::vf2h_q, D.number | Pair * encoding::upper_pair, S.number)>();
}
/// Points to record `index` of a table of 256 records of 2^Shift bytes, which begins at a multiple of its
/// size: ins.
template <std::uint32_t Shift>
[[gnu::always_inline]] inline void set_index(const float*& place, std::uint32_t index) noexcept {
  asm volatile(".word %2 | gpr_%1 << 21 | gpr_%0 << 16"
               : "+r"(place)
               : "r"(index), "i"(encoding::insert_byte(Shift)));
}

/// lv.q: 16 bytes at a 16-byte boundary.
template <Quad D, int Offset = 0>
[[gnu::always_inline]] inline void load(const void* from) noexcept {
  static_assert(Offset % 16 == 0 && Offset == static_cast<std::int16_t>(Offset));
  access<encoding::quad_access(encoding::lv_q, D, Offset)>(from);
}
/// sv.q
template <Quad S, int Offset = 0>
[[gnu::always_inline]] inline void store(void* to) noexcept {
  static_assert(Offset % 16 == 0 && Offset == static_cast<std::int16_t>(Offset));
  access<encoding::quad_access(encoding::sv_q, S, Offset)>(to);
}
/// lv.s
template <Single D, int Offset = 0>
[[gnu::always_inline]] inline void load(const float* from) noexcept {
  static_assert(Offset % 4 == 0 && Offset == static_cast<std::int16_t>(Offset));
  access<encoding::single_access(encoding::lv_s, D, Offset)>(from);
}
/// sv.s
template <Single S, int Offset = 0>
[[gnu::always_inline]] inline void store(float* to) noexcept {
  static_assert(Offset % 4 == 0 && Offset == static_cast<std::int16_t>(Offset));
  access<encoding::single_access(encoding::sv_s, S, Offset)>(to);
}

}  // namespace pspllm::psp::vfpu
