// The VFPU's instructions as inline words: GNU's assembler knows the vector loads only as coprocessor-2
// loads, and the arithmetic not at all. Encodings: hrydgard/ppsspp Core/MIPS and pspdev/vfpu-docs
// inst-vfpu-desc.yaml. Everything is emitted in program order (volatile). Included by vfpu.hpp.
#pragma once

#include <cstdint>

#include "engine/ops/psp/vfpu_registers.hpp"

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
inline constexpr std::uint32_t vf2iz_q = 0xd2208080;

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

/// lv.q: 16 bytes at a 16-byte boundary.
template <Quad D, int Offset = 0>
[[gnu::always_inline]] inline void load(const void* from) noexcept {
  static_assert(Offset % 16 == 0);
  asm volatile("ldc2 $%1, %2(%0)" : : "r"(from), "i"(D.number), "i"(Offset) : "memory");
}
/// sv.q
template <Quad S, int Offset = 0>
[[gnu::always_inline]] inline void store(void* to) noexcept {
  static_assert(Offset % 16 == 0);
  asm volatile("sdc2 $%1, %2(%0)" : : "r"(to), "i"(S.number), "i"(Offset) : "memory");
}
/// lv.s: the register's row stands in the low bits of the offset.
template <Single D, int Offset = 0>
[[gnu::always_inline]] inline void load(const float* from) noexcept {
  static_assert(Offset % 4 == 0);
  asm volatile("lwc2 $%1, %2(%0)"
               :
               : "r"(from), "i"(D.number & 31U), "i"(Offset + static_cast<int>(D.number >> 5))
               : "memory");
}
/// sv.s
template <Single S, int Offset = 0>
[[gnu::always_inline]] inline void store(float* to) noexcept {
  static_assert(Offset % 4 == 0);
  asm volatile("swc2 $%1, %2(%0)"
               :
               : "r"(to), "i"(S.number & 31U), "i"(Offset + static_cast<int>(S.number >> 5))
               : "memory");
}

}  // namespace pspllm::psp::vfpu
