// Numbers out of little-endian files, wherever they lie, and 16-bit floats.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace pspllm::host {

static_assert(std::endian::native == std::endian::little, "files are read as they lie in memory");

/// The number whose first byte is at `bytes`; no alignment needed.
template <typename Number>
[[nodiscard]] inline Number load(const std::byte* bytes) noexcept {
  Number number{};
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

/// IEEE 754 binary16, exactly: every half is a single.
[[nodiscard]] inline float float_from_half(std::uint16_t half) noexcept {
  constexpr std::uint32_t exponent_mask = 0x1fU;
  constexpr std::uint32_t mantissa_mask = 0x3ffU;
  const std::uint32_t sign = (half & 0x8000U) << 16;
  const std::uint32_t exponent = (half >> 10) & exponent_mask;
  const std::uint32_t mantissa = half & mantissa_mask;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
  }
  constexpr std::uint32_t bias_difference = 127 - 15;
  const std::uint32_t wide = exponent == exponent_mask ? 0xffU : exponent + bias_difference;
  return std::bit_cast<float>(sign | wide << 23 | mantissa << 13);
}

/// bfloat16: the upper half of a single.
[[nodiscard]] inline float float_from_bfloat16(std::uint16_t bits) noexcept {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

[[nodiscard]] inline float load_half(const std::byte* bytes) noexcept {
  return float_from_half(load<std::uint16_t>(bytes));
}

}  // namespace pspllm::host
