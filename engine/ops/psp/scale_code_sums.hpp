// Row sums of byte codes to results.
#pragma once

#include <cstdint>

#include "engine/ops/psp/repeat.hpp"
#include "engine/ops/psp/vfpu.hpp"

namespace pspllm::psp {

/// The scale of the activations.
inline constexpr vfpu::Single code_x_scale = vfpu::lane(vfpu::column(2, 0), 0);

/// out = (sum * x_scale) * row_scale for Quads * 4 rows side by side, so that nothing waits for its result.
template <std::uint32_t Quads>
[[gnu::always_inline]] inline void scale_code_quads(const float* sums, const float* row_scales,
                                                    float* out) noexcept {
  using vfpu::column;
  repeat<Quads>([ sums, row_scales ]<std::uint32_t I>() __attribute__((always_inline)) {
    vfpu::load<column(0, I), static_cast<int>(I * 16)>(sums);
    vfpu::load<column(1, I), static_cast<int>(I * 16)>(row_scales);
  });
  repeat<Quads>([]<std::uint32_t I>() __attribute__((always_inline)) {
    vfpu::scale<column(0, I), column(0, I), code_x_scale>();
  });
  repeat<Quads>([]<std::uint32_t I>() __attribute__((always_inline)) {
    vfpu::multiply<column(0, I), column(0, I), column(1, I)>();
  });
  repeat<Quads>([out]<std::uint32_t I>() __attribute__((always_inline)) {
    vfpu::store<column(0, I), static_cast<int>(I * 16)>(out);
  });
}

/// out = (sum * x_scale) * row_scale; in place allowed. rows: a multiple of 4; all 16-byte aligned.
inline void scale_code_sums(const float* sums, const float* row_scales, std::uint32_t rows,
                            const float* x_scale, float* out) noexcept {
  constexpr std::uint32_t quads_at_once = 4;
  constexpr std::uint32_t rows_at_once = 4 * quads_at_once;
  vfpu::load<code_x_scale>(x_scale);
  for (; rows >= rows_at_once; rows -= rows_at_once) {
    scale_code_quads<quads_at_once>(sums, row_scales, out);
    sums += rows_at_once;
    row_scales += rows_at_once;
    out += rows_at_once;
  }
  for (; rows > 0; rows -= 4) {
    scale_code_quads<1>(sums, row_scales, out);
    sums += 4;
    row_scales += 4;
    out += 4;
  }
}

}  // namespace pspllm::psp
