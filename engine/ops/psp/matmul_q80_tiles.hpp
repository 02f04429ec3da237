// What the q80 kernels of the VFPU share: a tile of 4 x 4 weights is one lv.q; four vc2i and four vi2f turn
// it into a matrix of exact floats, which vtfm4 multiplies with four activations. Two tiles (8 rows) lie
// together and are held in matrices 0 and 1.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/ops/psp/vfpu.hpp"
#include "engine/ops/psp/vfpu_kernels.hpp"
#include "engine/ops/unrolled.hpp"

namespace pspllm::psp {

/// Bytes of two tiles: four columns of eight rows.
inline constexpr int tile_bytes = 32;
/// Bytes of the scales behind a group.
inline constexpr int scale_bytes = 32;
/// Bytes of four activations.
inline constexpr int x_tile_bytes = 16;

template <std::uint32_t M, vfpu::Quad Raw>
[[gnu::always_inline]] inline void unpack_tile() noexcept {
  using vfpu::column;
  using vfpu::lane;
  vfpu::unpack_bytes<column(M, 0), lane(Raw, 0)>();
  vfpu::unpack_bytes<column(M, 1), lane(Raw, 1)>();
  vfpu::unpack_bytes<column(M, 2), lane(Raw, 2)>();
  vfpu::unpack_bytes<column(M, 3), lane(Raw, 3)>();
}

template <std::uint32_t M>
[[gnu::always_inline]] inline void tile_to_float() noexcept {
  using vfpu::column;
  constexpr std::uint32_t byte_in_top = 24;
  vfpu::to_float<column(M, 0), column(M, 0), byte_in_top>();
  vfpu::to_float<column(M, 1), column(M, 1), byte_in_top>();
  vfpu::to_float<column(M, 2), column(M, 2), byte_in_top>();
  vfpu::to_float<column(M, 3), column(M, 3), byte_in_top>();
}

/// Whole stripes of a packed matrix times several tokens (or one).
struct StripeJob {
  const std::byte* w = nullptr;
  std::uint32_t stripes = 0;
  std::uint32_t groups = 0;
  std::uint32_t tiles = 0;  ///< in a group
  std::size_t stripe_bytes = 0;
  std::size_t out_stride = 0;
};

/// Stripes of 8 rows, groups of 4 * Tiles columns (32 or 64), one token. out: 16-byte aligned.
template <int Tiles>
void single_token_stripes(const StripeJob& job, const FloatActivations& x, float* out) noexcept;
extern template void single_token_stripes<8>(const StripeJob&, const FloatActivations&, float*) noexcept;
extern template void single_token_stripes<16>(const StripeJob&, const FloatActivations&, float*) noexcept;

/// One batch of tokens (FloatActivations), any group size. out: 16-byte aligned rows, the first for
/// first_token.
void batch_stripes(const StripeJob& job, const FloatActivations& x, std::uint32_t first_token,
                   float* out) noexcept;

}  // namespace pspllm::psp
