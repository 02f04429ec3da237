#pragma once
// The machine's units of data. The Allegrex is little-endian and so must be the host that models it.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace pspllm::simulator {

static_assert(std::endian::native == std::endian::little, "the simulator copies memory words as they are");

using Byte = std::uint8_t;
using Half = std::uint16_t;
using Word = std::uint32_t;
using SignedWord = std::int32_t;
using DoubleWord = std::uint64_t;
using SignedDoubleWord = std::int64_t;
// An address as a program sees it, with its segment bits.
using Address = std::uint32_t;
// Clock cycles of the CPU.
using Cycles = std::uint64_t;
// Modelled time in picoseconds: fits 213 days.
using Picoseconds = std::uint64_t;

[[nodiscard]] constexpr SignedWord as_signed(Word value) {
  return static_cast<SignedWord>(value);
}
[[nodiscard]] constexpr Word as_word(SignedWord value) {
  return static_cast<Word>(value);
}
[[nodiscard]] constexpr float as_float(Word bits) {
  return std::bit_cast<float>(bits);
}
[[nodiscard]] constexpr double as_double(Word bits) {
  return static_cast<double>(std::bit_cast<float>(bits));
}
[[nodiscard]] constexpr Word as_bits(float value) {
  return std::bit_cast<Word>(value);
}

// `value` with its low `width` bits (1 to 32) taken as a two's complement number.
[[nodiscard]] constexpr Word sign_extend(Word value, unsigned width) {
  const unsigned unused = 32U - width;
  return as_word(as_signed(value << unused) >> unused);
}

// Bits high..low of a word, moved to the bottom.
[[nodiscard]] constexpr Word bits(Word word, unsigned high, unsigned low) {
  const Word above = word >> low;
  const unsigned width = high - low + 1U;
  return width >= 32U ? above : above & ((Word{1} << width) - 1U);
}

template <typename T>
[[nodiscard]] inline T load_as(const Byte* from) {
  T value{};
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <typename T>
inline void store_as(Byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

}  // namespace pspllm::simulator
