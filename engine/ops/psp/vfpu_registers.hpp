// The VFPU's registers, as kernels name them.
#pragma once

#include <cstdint>

namespace pspllm::psp::vfpu {

/// A column of four registers: C<matrix><column>0.
struct Quad {
  std::uint32_t number;
};
[[nodiscard]] constexpr Quad column(std::uint32_t matrix, std::uint32_t index) noexcept {
  return {matrix * 4 + index};
}

/// One register: lane `row` of a column.
struct Single {
  std::uint32_t number;
};
[[nodiscard]] constexpr Single lane(Quad quad, std::uint32_t row) noexcept {
  return {row * 32 + quad.number};
}

}  // namespace pspllm::psp::vfpu
