#pragma once

#include <cstdint>

// The two ways of rounding a single to an integer in which llama2.c's program and its exporter differ. Never
// swap them: runq.c quantises activations with C's round(), the exporter quantises weights with
// torch.round().
//
// value: below 2^31 in magnitude, not a NaN (a conversion would trap on the PSP). The part that truncation
// cuts off is exact in a single, so each comparison with one half is exact too.
namespace pspllm {

// The nearest integer, halves away from zero: C's round().
[[nodiscard]] constexpr std::int32_t round_half_away(float value) noexcept {
  const auto whole = static_cast<std::int32_t>(value);
  const float rest = value - static_cast<float>(whole);
  return whole + (rest >= 0.5F ? 1 : 0) - (rest <= -0.5F ? 1 : 0);
}

// The nearest integer, halves to the even neighbour: IEEE's default, torch.round().
[[nodiscard]] constexpr std::int32_t round_half_even(float value) noexcept {
  const auto whole = static_cast<std::int32_t>(value);
  const float rest = value - static_cast<float>(whole);
  const bool odd = (whole & 1) != 0;
  return whole + (rest > 0.5F || (rest == 0.5F && odd) ? 1 : 0) -
         (rest < -0.5F || (rest == -0.5F && odd) ? 1 : 0);
}

}  // namespace pspllm
