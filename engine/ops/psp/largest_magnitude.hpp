// The largest magnitude of many numbers, in every lane of a VFPU register.
#pragma once

#include <cstdint>

#include "engine/ops/psp/vfpu.hpp"

namespace pspllm::psp {

/// Swizzles of vfpu::maximum_swizzled(): lanes exchanged within pairs; pairs exchanged.
inline constexpr std::uint32_t swap_neighbours = 0xb1;
inline constexpr std::uint32_t swap_halves = 0x4e;

/// Every lane becomes the largest of the four. Twice the same operation on half as many candidates.
template <vfpu::Quad Q>
[[gnu::always_inline]] inline void spread_maximum() noexcept {
  vfpu::maximum_swizzled<Q, Q, Q, swap_neighbours>();
  vfpu::maximum_swizzled<Q, Q, Q, swap_halves>();
}

/// Matrix 0, column 0 = the largest |x[i]| in every lane; an infinity or a NaN counts as larger than any
/// number. n: a multiple of 4, not 0; x: 16-byte aligned. Uses matrices 0 and 1.
inline void find_largest_magnitude(const float* x, std::uint32_t n) noexcept {
  using vfpu::column;
  constexpr std::uint32_t at_once = 16;
  vfpu::zero<column(0, 0)>();
  vfpu::zero<column(0, 1)>();
  vfpu::zero<column(0, 2)>();
  vfpu::zero<column(0, 3)>();
  for (; n >= at_once; n -= at_once) {
    vfpu::load<column(1, 0), 0>(x);
    vfpu::load<column(1, 1), 16>(x);
    vfpu::load<column(1, 2), 32>(x);
    vfpu::load<column(1, 3), 48>(x);
    x += at_once;
    vfpu::absolute<column(1, 0), column(1, 0)>();
    vfpu::absolute<column(1, 1), column(1, 1)>();
    vfpu::absolute<column(1, 2), column(1, 2)>();
    vfpu::absolute<column(1, 3), column(1, 3)>();
    vfpu::maximum<column(0, 0), column(0, 0), column(1, 0)>();
    vfpu::maximum<column(0, 1), column(0, 1), column(1, 1)>();
    vfpu::maximum<column(0, 2), column(0, 2), column(1, 2)>();
    vfpu::maximum<column(0, 3), column(0, 3), column(1, 3)>();
  }
  for (; n > 0; n -= 4) {
    vfpu::load<column(1, 0)>(x);
    x += 4;
    vfpu::absolute<column(1, 0), column(1, 0)>();
    vfpu::maximum<column(0, 0), column(0, 0), column(1, 0)>();
  }
  vfpu::maximum<column(0, 0), column(0, 0), column(0, 1)>();
  vfpu::maximum<column(0, 2), column(0, 2), column(0, 3)>();
  vfpu::maximum<column(0, 0), column(0, 0), column(0, 2)>();
  spread_maximum<column(0, 0)>();
}

}  // namespace pspllm::psp
