// q80 matrix times one vector on the VFPU. 32 weights (two tiles that share the activations) cost 2 + 16 + 1
// + 8 + 2 = 29 issue cycles; their 36 bytes cost about 31 cycles of line fills. Results of vtfm4 (latency 10)
// are added one tile later, and a group is scaled and summed during the first two tiles of the next one, so
// that nothing waits.
#include "engine/ops/psp/matmul_q80_tiles.hpp"

namespace pspllm::psp {
namespace {

using vfpu::column;
using vfpu::lane;
using vfpu::Quad;

/// Bytes of a group of eight rows with its scales.
template <int Tiles>
constexpr int group_bytes = Tiles* tile_bytes + scale_bytes;
/// Bytes of a group of activations with its scale.
template <int Tiles>
constexpr int record_bytes = Tiles* x_tile_bytes + x_tile_bytes;
/// From one group's activations to those of the group after the next.
template <int Tiles>
constexpr std::size_t pair_floats = 2 * record_bytes<Tiles> / sizeof(float);

constexpr Quad raw_a(int parity) noexcept {
  return column(2, parity == 0 ? 0 : 2);
}
constexpr Quad raw_b(int parity) noexcept {
  return column(2, parity == 0 ? 1 : 3);
}
constexpr Quad x_quad = column(3, 0);
constexpr Quad result_a = column(3, 2);
constexpr Quad result_b = column(3, 3);
constexpr Quad dot_a(int parity) noexcept {
  return column(4, parity == 0 ? 0 : 2);
}
constexpr Quad dot_b(int parity) noexcept {
  return column(4, parity == 0 ? 1 : 3);
}
constexpr Quad sum_a = column(5, 0);
constexpr Quad sum_b = column(5, 1);
constexpr Quad weight_scale_a = column(5, 2);
constexpr Quad weight_scale_b = column(5, 3);
constexpr vfpu::Single x_scale = lane(column(6, 0), 0);

/// Tile `Index` of a group of `Tiles`. Parity tells which dot registers the group uses; raw tiles alternate
/// too. The next tile's bytes are loaded ahead, also across the end of a group (behind its scales) and of a
/// stripe.
template <int Tiles, int Parity, int Index>
[[gnu::always_inline]] inline void single_tile(const std::byte* w, const float* x) noexcept {
  constexpr int next = Index + 1;
  constexpr int next_offset =
      Parity * group_bytes<Tiles> + next * tile_bytes + (next == Tiles ? scale_bytes : 0);
  constexpr int x_offset = Parity * record_bytes<Tiles> + Index * x_tile_bytes;
  constexpr Quad previous_a = dot_a(1 - Parity);
  constexpr Quad previous_b = dot_b(1 - Parity);
  vfpu::load<raw_a(next & 1), next_offset>(w);
  vfpu::load<raw_b(next & 1), next_offset + tile_bytes / 2>(w);
  vfpu::load<x_quad, x_offset>(x);
  unpack_tile<0, raw_a(Index & 1)>();
  unpack_tile<1, raw_b(Index & 1)>();
  if constexpr (Index == 0) {
    vfpu::add<previous_a, previous_a, result_a>();
    vfpu::add<previous_b, previous_b, result_b>();
  } else if constexpr (Index == 1) {
    vfpu::scale<previous_a, previous_a, x_scale>();
    vfpu::scale<previous_b, previous_b, x_scale>();
  } else {
    vfpu::add<dot_a(Parity), dot_a(Parity), result_a>();
    vfpu::add<dot_b(Parity), dot_b(Parity), result_b>();
  }
  tile_to_float<0>();
  tile_to_float<1>();
  if constexpr (Index == 0) {
    vfpu::multiply<previous_a, previous_a, weight_scale_a>();
    vfpu::multiply<previous_b, previous_b, weight_scale_b>();
    vfpu::transform<dot_a(Parity), 0, x_quad>();
    vfpu::transform<dot_b(Parity), 1, x_quad>();
  } else {
    if constexpr (Index == 1) {
      vfpu::add<sum_a, sum_a, previous_a>();
      vfpu::add<sum_b, sum_b, previous_b>();
    }
    vfpu::transform<result_a, 0, x_quad>();
    vfpu::transform<result_b, 1, x_quad>();
  }
}

/// The first or second group of a pair that begins at w and x.
template <int Tiles, int Parity>
[[gnu::always_inline]] inline void single_group(const std::byte* w, const float* x) noexcept {
  unrolled<Tiles>([=]<int Index>()
                      __attribute__((always_inline)) { single_tile<Tiles, Parity, Index>(w, x); });
  constexpr int scales_at = Parity * group_bytes<Tiles> + Tiles * tile_bytes;
  vfpu::load<weight_scale_a, scales_at>(w);
  vfpu::load<weight_scale_b, scales_at + scale_bytes / 2>(w);
  vfpu::load<x_scale, Parity * record_bytes<Tiles> + Tiles * x_tile_bytes>(x);
}

/// What the next group's first two tiles would have done for the last group.
template <int Parity>
[[gnu::always_inline]] inline void finish_last_group() noexcept {
  vfpu::add<dot_a(Parity), dot_a(Parity), result_a>();
  vfpu::add<dot_b(Parity), dot_b(Parity), result_b>();
  vfpu::multiply<dot_a(Parity), dot_a(Parity), weight_scale_a>();
  vfpu::multiply<dot_b(Parity), dot_b(Parity), weight_scale_b>();
  vfpu::scale<dot_a(Parity), dot_a(Parity), x_scale>();
  vfpu::scale<dot_b(Parity), dot_b(Parity), x_scale>();
  vfpu::add<sum_a, sum_a, dot_a(Parity)>();
  vfpu::add<sum_b, sum_b, dot_b(Parity)>();
}

}  // namespace

template <int Tiles>
void single_token_stripes(const StripeJob& job, const FloatActivations& x, float* out) noexcept {
  static_assert(Tiles % 2 == 0, "raw tiles alternate between two register pairs, also from group to group");
  const std::byte* w = job.w;
  vfpu::load<raw_a(0)>(w);
  vfpu::load<raw_b(0), tile_bytes / 2>(w);
  for (std::uint32_t stripes = job.stripes; stripes > 0; --stripes) {
    // The first group finishes an empty one: all zeros.
    vfpu::zero<sum_a>();
    vfpu::zero<sum_b>();
    vfpu::zero<dot_a(1)>();
    vfpu::zero<dot_b(1)>();
    vfpu::zero<result_a>();
    vfpu::zero<result_b>();
    vfpu::zero<weight_scale_a>();
    vfpu::zero<weight_scale_b>();
    vfpu::zero<column(6, 0)>();
    const float* values = x.data;
    for (const float* const end = values + job.groups / 2 * pair_floats<Tiles>; values != end;) {
      single_group<Tiles, 0>(w, values);
      single_group<Tiles, 1>(w, values);
      w += 2 * group_bytes<Tiles>;
      values += pair_floats<Tiles>;
    }
    if (job.groups % 2 != 0) {
      single_group<Tiles, 0>(w, values);
      w += group_bytes<Tiles>;
      finish_last_group<0>();
    } else {
      finish_last_group<1>();
    }
    vfpu::store<sum_a>(out);
    vfpu::store<sum_b, tile_bytes / 2>(out);
    out += stripe_rows;
  }
}

template void single_token_stripes<8>(const StripeJob&, const FloatActivations&, float*) noexcept;
template void single_token_stripes<16>(const StripeJob&, const FloatActivations&, float*) noexcept;

}  // namespace pspllm::psp
