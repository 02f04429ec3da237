#pragma once

#include <cstdint>

// What glibc's functions answer without arithmetic, shared by the integer functions and the host's twins.
// Singles come and go as bits.
namespace pspllm {

// The bits of the answer, where there is one.
struct SpecialAnswer {
  bool found = false;
  std::uint32_t bits = 0;
};

// |x| >= 88 or a NaN. No answer where e^x is a normal or subnormal single that must be computed.
[[nodiscard]] SpecialAnswer exp_special_answer(std::uint32_t x) noexcept;

// x^y is the answer if there is one, else base^y with the sign put on. base: the bits of |x|, subnormals
// normalised, so that modulo 2^32 the exponent field may be negative.
struct PowOperands {
  SpecialAnswer answer;
  std::uint32_t base = 0;
  std::uint32_t sign = 0;
};

[[nodiscard]] PowOperands pow_operands(std::uint32_t x, std::uint32_t y) noexcept;

// Sine and cosine of an infinity or a NaN.
[[nodiscard]] std::uint32_t sine_of_infinity_or_nan(std::uint32_t x) noexcept;

// A finite angle of at least 2 in magnitude, reduced: |angle| = (quadrant + fraction * 2^-62) * pi / 2 modulo
// 2 pi, with |fraction| <= 2^61.
struct LargeAngle {
  std::int64_t fraction = 0;
  std::uint32_t quadrant = 0;
};

[[nodiscard]] LargeAngle reduce_large_angle(std::uint32_t angle) noexcept;

}  // namespace pspllm
