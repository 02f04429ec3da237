// What the instructions of vfpu_machine.hpp do, in plain C++, for the operations that kernels use: add,
// multiply and divide are IEEE with subnormals as zero; vtfm4 is exact wherever the kernels rely on it (whole
// numbers below 2^24). Included by vfpu.hpp.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "engine/ops/psp/vfpu_registers.hpp"

namespace pspllm::psp::vfpu {

namespace model {

/// The register file by register number: row * 32 + matrix * 4 + column.
inline std::array<std::uint32_t, 128>& registers() noexcept {
  static thread_local std::array<std::uint32_t, 128> file{};
  return file;
}

inline std::uint32_t& lane_bits(Quad quad, std::uint32_t row) noexcept {
  return registers()[lane(quad, row).number];
}

inline float flushed(float value) noexcept {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0F, value) : value;
}
inline float lane_value(Quad quad, std::uint32_t row) noexcept {
  return flushed(std::bit_cast<float>(lane_bits(quad, row)));
}

/// Compared as ordered bit patterns, so that a NaN counts as larger than any number.
inline std::uint32_t larger(std::uint32_t s_bits, std::uint32_t t_bits) noexcept {
  const auto s = static_cast<std::int32_t>(s_bits);
  const auto t = static_cast<std::int32_t>(t_bits);
  const bool both_negative = s < 0 && t < 0;
  return (s > t) != both_negative ? s_bits : t_bits;
}

inline float value(Single single) noexcept {
  return flushed(std::bit_cast<float>(registers()[single.number]));
}
inline void set(Single single, float value) noexcept {
  registers()[single.number] = std::bit_cast<std::uint32_t>(flushed(value));
}

template <typename Operation>
inline void each_lane(Quad d, Operation operation) noexcept {
  for (std::uint32_t row = 0; row < 4; ++row) {
    lane_bits(d, row) = std::bit_cast<std::uint32_t>(flushed(operation(row)));
  }
}

}  // namespace model

/// d = s + t, and so on, lane by lane; IEEE round to nearest, subnormals as zero.
template <Quad D, Quad S, Quad T>
inline void add() noexcept {
  model::each_lane(D,
                   [](std::uint32_t row) { return model::lane_value(S, row) + model::lane_value(T, row); });
}
template <Quad D, Quad S, Quad T>
inline void subtract() noexcept {
  model::each_lane(D,
                   [](std::uint32_t row) { return model::lane_value(S, row) - model::lane_value(T, row); });
}
template <Quad D, Quad S, Quad T>
inline void multiply() noexcept {
  model::each_lane(D,
                   [](std::uint32_t row) { return model::lane_value(S, row) * model::lane_value(T, row); });
}
template <Quad D, Quad S, Quad T>
inline void divide() noexcept {
  model::each_lane(D,
                   [](std::uint32_t row) { return model::lane_value(S, row) / model::lane_value(T, row); });
}
template <Quad D, Quad S, Quad T>
inline void maximum() noexcept {
  for (std::uint32_t row = 0; row < 4; ++row)
    model::lane_bits(D, row) = model::larger(model::lane_bits(S, row), model::lane_bits(T, row));
}
/// d = s * t, t one register.
template <Quad D, Quad S, Single T>
inline void scale() noexcept {
  const float t = model::flushed(std::bit_cast<float>(model::registers()[T.number]));
  model::each_lane(D, [t](std::uint32_t row) { return model::lane_value(S, row) * t; });
}
/// d[i] = column i of matrix M . v. D must not lie in M or be V.
template <Quad D, std::uint32_t Matrix, Quad V>
inline void transform() noexcept {
  static_assert(D.number / 4 != Matrix && D.number != V.number);
  model::each_lane(D, [](std::uint32_t index) {
    double sum = 0.0;
    for (std::uint32_t row = 0; row < 4; ++row) {
      sum += static_cast<double>(model::lane_value(column(Matrix, index), row)) *
             static_cast<double>(model::lane_value(V, row));
    }
    return static_cast<float>(sum);
  });
}
template <Quad D, Quad S>
inline void absolute() noexcept {
  for (std::uint32_t row = 0; row < 4; ++row)
    model::lane_bits(D, row) = model::lane_bits(S, row) & 0x7fffffffU;
}
template <Quad D>
inline void zero() noexcept {
  for (std::uint32_t row = 0; row < 4; ++row) model::lane_bits(D, row) = 0;
}
/// The four signed bytes of s, each in the top byte of an integer lane of d.
template <Quad D, Single S>
inline void unpack_bytes() noexcept {
  const std::uint32_t word = model::registers()[S.number];
  for (std::uint32_t row = 0; row < 4; ++row) model::lane_bits(D, row) = word >> (8 * row) << 24;
}
/// d = float(integer lanes of s) * 2^-Bits.
template <Quad D, Quad S, std::uint32_t Bits>
inline void to_float() noexcept {
  for (std::uint32_t row = 0; row < 4; ++row) {
    const auto integer = static_cast<std::int32_t>(model::lane_bits(S, row));
    model::lane_bits(D, row) =
        std::bit_cast<std::uint32_t>(std::ldexp(static_cast<float>(integer), -static_cast<int>(Bits)));
  }
}
/// Integer lanes of d = s * 2^Bits, cut towards zero, saturated; a NaN gives the largest integer.
template <Quad D, Quad S, std::uint32_t Bits>
inline void to_integer() noexcept {
  for (std::uint32_t row = 0; row < 4; ++row) {
    const float scaled = std::ldexp(model::lane_value(S, row), static_cast<int>(Bits));
    std::int32_t integer = INT32_MAX;
    if (scaled < -2147483648.0F) {
      integer = INT32_MIN;
    } else if (scaled < 2147483648.0F) {
      integer = static_cast<std::int32_t>(scaled);
    }
    model::lane_bits(D, row) = static_cast<std::uint32_t>(integer);
  }
}

/// Integer lanes of d = s * 2^Bits, rounded to nearest even; for values that fit.
template <Quad D, Quad S, std::uint32_t Bits>
inline void to_nearest_integer() noexcept {
  for (std::uint32_t row = 0; row < 4; ++row) {
    const float scaled = std::ldexp(model::lane_value(S, row), static_cast<int>(Bits));
    model::lane_bits(D, row) = static_cast<std::uint32_t>(static_cast<std::int32_t>(std::nearbyint(scaled)));
  }
}
/// d = max(s, t) with the lanes of s in the order Swizzle (two bits a lane, lane 0 lowest).
template <Quad D, Quad S, Quad T, std::uint32_t Swizzle>
inline void maximum_swizzled() noexcept {
  const std::array<std::uint32_t, 4> saved{model::lane_bits(S, 0), model::lane_bits(S, 1),
                                           model::lane_bits(S, 2), model::lane_bits(S, 3)};
  std::array<std::uint32_t, 4> result{};
  for (std::uint32_t row = 0; row < 4; ++row)
    result[row] = model::larger(saved[(Swizzle >> (2 * row)) & 3U], model::lane_bits(T, row));
  for (std::uint32_t row = 0; row < 4; ++row) model::lane_bits(D, row) = result[row];
}
template <Single D, Single S, Single T>
inline void add() noexcept {
  model::set(D, model::value(S) + model::value(T));
}
template <Single D, Single S, Single T>
inline void divide() noexcept {
  model::set(D, model::value(S) / model::value(T));
}
/// d = a whole number.
template <Single D, std::int16_t Value>
inline void set() noexcept {
  model::set(D, static_cast<float>(Value));
}
/// The bits of a register.
template <Single S>
[[nodiscard]] inline std::uint32_t bits_of() noexcept {
  return model::registers()[S.number];
}

/// lv.q: 16 bytes at a 16-byte boundary.
template <Quad D, int Offset = 0>
inline void load(const void* from) noexcept {
  static_assert(Offset % 16 == 0);
  const auto* bytes = static_cast<const unsigned char*>(from) + Offset;
  if (reinterpret_cast<std::uintptr_t>(bytes) % 16 != 0) __builtin_trap();
  for (std::uint32_t row = 0; row < 4; ++row) std::memcpy(&model::lane_bits(D, row), bytes + 4 * row, 4);
}
/// The byte at Offset, loaded where it stands in the program: lbu.
template <int Offset>
[[nodiscard]] inline std::uint32_t load_byte(const std::uint8_t* from) noexcept {
  return from[Offset];
}
/// The four half floats in lanes 2 * Pair and 2 * Pair + 1 of s as floats; zeros and normal numbers.
template <Quad D, Quad S, std::uint32_t Pair>
inline void halves_to_float() noexcept {
  std::array<std::uint32_t, 4> result{};
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t half = model::lane_bits(S, 2 * Pair + i / 2) >> (i % 2 * 16) & 0xffffU;
    const std::uint32_t magnitude = (half & 0x7fffU) == 0 ? 0 : ((half & 0x7fffU) + (112U << 10)) << 13;
    result[i] = (half & 0x8000U) << 16 | magnitude;
  }
  for (std::uint32_t i = 0; i < 4; ++i) model::lane_bits(D, i) = result[i];
}
/// Lanes 2 * Pair and 2 * Pair + 1 of d = the four floats of s as half floats, cut towards zero; zeros and
/// numbers in a half's normal range.
template <Quad D, Quad S, std::uint32_t Pair>
inline void to_halves() noexcept {
  std::array<std::uint32_t, 2> result{};
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t bits = model::lane_bits(S, i);
    const std::uint32_t magnitude =
        (bits & 0x7fffffffU) == 0 ? 0 : ((bits & 0x7fffffffU) >> 13) - (112U << 10);
    result[i / 2] |= ((bits >> 16 & 0x8000U) | magnitude) << (i % 2 * 16);
  }
  model::lane_bits(D, 2 * Pair) = result[0];
  model::lane_bits(D, 2 * Pair + 1) = result[1];
}
/// Points to record `index` of a table of 256 records of 2^Shift bytes, which begins at a multiple of its
/// size: ins.
template <std::uint32_t Shift>
inline void set_index(const float*& place, std::uint32_t index) noexcept {
  constexpr std::uintptr_t table_mask = (std::uintptr_t{256} << Shift) - 1;
  place -= (reinterpret_cast<std::uintptr_t>(place) & table_mask) / sizeof(float);
  place += (std::size_t{index} << Shift) / sizeof(float);
}

/// sv.q
template <Quad S, int Offset = 0>
inline void store(void* to) noexcept {
  static_assert(Offset % 16 == 0);
  auto* bytes = static_cast<unsigned char*>(to) + Offset;
  if (reinterpret_cast<std::uintptr_t>(bytes) % 16 != 0) __builtin_trap();
  constexpr bool is_row = S.number >= 32;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t part = is_row ? S.number % 4 * 32 + (S.number - 32) / 4 * 4 + i : S.number + 32 * i;
    std::memcpy(bytes + 4 * i, &model::registers()[part], 4);
  }
}
/// lv.s
template <Single D, int Offset = 0>
inline void load(const float* from) noexcept {
  static_assert(Offset % 4 == 0);
  std::memcpy(&model::registers()[D.number], reinterpret_cast<const unsigned char*>(from) + Offset, 4);
}
/// sv.s
template <Single S, int Offset = 0>
inline void store(float* to) noexcept {
  static_assert(Offset % 4 == 0);
  std::memcpy(reinterpret_cast<unsigned char*>(to) + Offset, &model::registers()[S.number], 4);
}

}  // namespace pspllm::psp::vfpu
