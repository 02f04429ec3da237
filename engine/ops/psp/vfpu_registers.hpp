// The VFPU's registers, as kernels name them.
#pragma once

#include <cstdint>

namespace pspllm::psp::vfpu {

/// A column of four registers, C<matrix><column>0, or a row of four, R<matrix>0<row>.
struct Quad {
  std::uint32_t number;
};
[[nodiscard]] constexpr Quad column(std::uint32_t matrix, std::uint32_t index) noexcept {
  return {matrix * 4 + index};
}
/// For store() alone.
[[nodiscard]] constexpr Quad row(std::uint32_t matrix, std::uint32_t index) noexcept {
  return {32 + matrix * 4 + index};
}

/// One register: lane `row` of a column.
struct Single {
  std::uint32_t number;
};
[[nodiscard]] constexpr Single lane(Quad quad, std::uint32_t row) noexcept {
  return {row * 32 + quad.number};
}

}  // namespace pspllm::psp::vfpu
