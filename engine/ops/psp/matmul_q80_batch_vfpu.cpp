// q80 matrix times several vectors on the VFPU: weights are unpacked once for up to four tokens, 18 + 11
// cycles a token for 32 weights. Also serves one token with odd group sizes.
//
// The tokens' activations have to stay in the data cache while the weights stream through it, so a matrix is
// taken in blocks of columns (FloatActivations); the sums of a row wait in the output between blocks, in the
// reference's order.
#include <algorithm>
#include <array>

#include "engine/ops/psp/matmul_q80_tiles.hpp"

namespace pspllm::psp {
namespace {

using vfpu::column;
using vfpu::lane;
using vfpu::Quad;

constexpr Quad raw_a = column(2, 0);
constexpr Quad raw_b = column(2, 1);
constexpr Quad x_of(int token) noexcept {
  return column(2, static_cast<std::uint32_t>(2 + (token & 1)));
}
constexpr Quad result_a(int token) noexcept {
  return column(3, static_cast<std::uint32_t>(2 * (token & 1)));
}
constexpr Quad result_b(int token) noexcept {
  return column(3, static_cast<std::uint32_t>(2 * (token & 1) + 1));
}
constexpr Quad dot_a(int token) noexcept {
  return column(static_cast<std::uint32_t>(4 + token / 2), static_cast<std::uint32_t>(2 * (token & 1)));
}
constexpr Quad dot_b(int token) noexcept {
  return {dot_a(token).number + 1};
}
constexpr Quad sum_a(int token) noexcept {
  return {dot_a(token).number + 8};
}
constexpr Quad sum_b(int token) noexcept {
  return {sum_a(token).number + 1};
}
// A group's scales take the place of its last weights.
constexpr Quad group_scale_a = column(0, 0);
constexpr Quad group_scale_b = column(0, 1);
constexpr Quad group_x_scales = column(0, 2);

template <int Token>
[[gnu::always_inline]] inline void add_result() noexcept {
  vfpu::add<dot_a(Token), dot_a(Token), result_a(Token)>();
  vfpu::add<dot_b(Token), dot_b(Token), result_b(Token)>();
}

/// A place in each token's activations.
template <int Tokens>
using Pointers = std::array<const float*, std::size_t{Tokens}>;

/// Where a tile stands in its group: the first gives the dot products, later ones are added, and the last
/// token's addition waits until the next tile, so that nothing waits for vtfm4.
enum class Place { first, second, later };

/// One tile for Tokens tokens; the raw registers hold it, and hold the one at next + Next afterwards.
template <int Tokens, Place At, int Next, int XOffset>
[[gnu::always_inline]] inline void batch_tile(const std::byte* next, const Pointers<Tokens>& x) noexcept {
  unpack_tile<0, raw_a>();
  unpack_tile<1, raw_b>();
  vfpu::load<raw_a, Next>(next);
  vfpu::load<raw_b, Next + tile_bytes / 2>(next);
  vfpu::load<x_of(0), XOffset>(x[0]);
  if constexpr (At == Place::later) add_result<Tokens - 1>();
  tile_to_float<0>();
  tile_to_float<1>();
  unrolled<Tokens>([&x]<int Token>() __attribute__((always_inline)) {
    // The next token's activations are on their way while this one's are used.
    if constexpr (Token + 1 < Tokens) vfpu::load<x_of(Token + 1), XOffset>(x[Token + 1]);
    if constexpr (At == Place::first) {
      vfpu::transform<dot_a(Token), 0, x_of(Token)>();
      vfpu::transform<dot_b(Token), 1, x_of(Token)>();
    } else {
      vfpu::transform<result_a(Token), 0, x_of(Token)>();
      vfpu::transform<result_b(Token), 1, x_of(Token)>();
      if constexpr (Token > 0) add_result<Token - 1>();
    }
  });
}

/// After a group's last tile: sum += (dot * weight_scale) * x_scale, the latter at x + XOffset. add_last: the
/// last token's last result is still to be added.
template <int Tokens, int XOffset>
[[gnu::always_inline]] inline void finish_group(const std::byte* scales, const Pointers<Tokens>& x,
                                                bool add_last) noexcept {
  vfpu::load<group_scale_a>(scales);
  vfpu::load<group_scale_b, scale_bytes / 2>(scales);
  unrolled<Tokens>([&x]<int Token>() __attribute__((always_inline)) {
    vfpu::load<lane(group_x_scales, static_cast<std::uint32_t>(Token)), XOffset>(x[Token]);
  });
  if (add_last) add_result<Tokens - 1>();
  unrolled<Tokens>([]<int Token>() __attribute__((always_inline)) {
    vfpu::multiply<dot_a(Token), dot_a(Token), group_scale_a>();
    vfpu::multiply<dot_b(Token), dot_b(Token), group_scale_b>();
  });
  unrolled<Tokens>([]<int Token>() __attribute__((always_inline)) {
    constexpr vfpu::Single scale = lane(group_x_scales, static_cast<std::uint32_t>(Token));
    vfpu::scale<dot_a(Token), dot_a(Token), scale>();
    vfpu::scale<dot_b(Token), dot_b(Token), scale>();
  });
  unrolled<Tokens>([]<int Token>() __attribute__((always_inline)) {
    vfpu::add<sum_a(Token), sum_a(Token), dot_a(Token)>();
    vfpu::add<sum_b(Token), sum_b(Token), dot_b(Token)>();
  });
}

/// Moves every token's place by Floats; unrolled, so that the places stay in registers.
template <int Floats, int Tokens>
[[gnu::always_inline]] inline void advance(Pointers<Tokens>& x) noexcept {
  unrolled<Tokens>([&x]<int Token>() __attribute__((always_inline)) { x[Token] += Floats; });
}

constexpr int tiles_of_32 = 8;
constexpr int tiles_of_64 = 16;

/// Groups of 4 * Tiles columns, unrolled.
template <int Tokens, int Tiles>
[[gnu::always_inline]] inline void groups_of(const std::byte* w, std::uint32_t groups,
                                             Pointers<Tokens> x) noexcept {
  constexpr int scales_at = Tiles * tile_bytes;
  for (; groups > 0; --groups) {
    unrolled<Tiles>([ w, &x ]<int Index>() __attribute__((always_inline)) {
      constexpr Place at = Index == 0 ? Place::first : Index == 1 ? Place::second : Place::later;
      // The tile after the group's last one lies behind its scales.
      constexpr int next = (Index + 1) * tile_bytes + (Index + 1 == Tiles ? scale_bytes : 0);
      batch_tile<Tokens, at, next, Index * x_tile_bytes>(w, x);
    });
    finish_group<Tokens, Tiles * x_tile_bytes>(w + scales_at, x, true);
    w += scales_at + scale_bytes;
    advance<Tiles * 4 + 4, Tokens>(x);
  }
}

/// Groups of any number of tiles.
template <int Tokens>
[[gnu::always_inline]] inline void groups_of_any(const std::byte* w, std::uint32_t groups,
                                                 std::uint32_t tiles, Pointers<Tokens> x) noexcept {
  for (; groups > 0; --groups) {
    std::uint32_t left = tiles;
    const auto next_tile = [&w, &left ]() __attribute__((always_inline)) {
      --left;
      w += tile_bytes + (left == 0 ? scale_bytes : 0);
      return w;
    };
    batch_tile<Tokens, Place::first, 0, 0>(next_tile(), x);
    advance<4, Tokens>(x);
    if (left != 0) {
      batch_tile<Tokens, Place::second, 0, 0>(next_tile(), x);
      advance<4, Tokens>(x);
    }
    while (left != 0) {
      batch_tile<Tokens, Place::later, 0, 0>(next_tile(), x);
      advance<4, Tokens>(x);
    }
    finish_group<Tokens, 0>(w - scale_bytes, x, tiles > 1);
    advance<4, Tokens>(x);
  }
}

/// Some groups of a matrix times a batch of tokens.
struct ColumnBlock {
  const StripeJob& job;
  const std::byte* w;  ///< the first stripe's first group of the block
  std::uint32_t groups;
  bool is_first;             ///< of the matrix: sums begin at 0
  const float* x;            ///< of the batch's first token
  std::size_t token_floats;  ///< from one token to the next
};

/// One stripe of a block for Tokens tokens. x: the first of them; out: the stripe's row 0 for it.
template <int Tokens>
void batch_stripe(const ColumnBlock& block, const std::byte* w, const float* x, float* out) noexcept {
  Pointers<Tokens> places;
  const std::size_t out_stride = block.job.out_stride;
  vfpu::load<raw_a>(w);
  vfpu::load<raw_b, tile_bytes / 2>(w);
  unrolled<Tokens>([&]<int Token>() __attribute__((always_inline)) {
    places[Token] = x + static_cast<std::uint32_t>(Token) * block.token_floats;
  });
  if (block.is_first) {
    unrolled<Tokens>([]<int Token>() __attribute__((always_inline)) {
      vfpu::zero<sum_a(Token)>();
      vfpu::zero<sum_b(Token)>();
    });
  } else {
    unrolled<Tokens>([=]<int Token>() __attribute__((always_inline)) {
      const float* const token_out = out + static_cast<std::uint32_t>(Token) * out_stride;
      vfpu::load<sum_a(Token)>(token_out);
      vfpu::load<sum_b(Token), tile_bytes / 2>(token_out);
    });
  }
  if (block.job.tiles == tiles_of_32) {
    groups_of<Tokens, tiles_of_32>(w, block.groups, places);
  } else if (block.job.tiles == tiles_of_64) {
    groups_of<Tokens, tiles_of_64>(w, block.groups, places);
  } else {
    groups_of_any<Tokens>(w, block.groups, block.job.tiles, places);
  }
  unrolled<Tokens>([=]<int Token>() __attribute__((always_inline)) {
    float* const token_out = out + static_cast<std::uint32_t>(Token) * out_stride;
    vfpu::store<sum_a(Token)>(token_out);
    vfpu::store<sum_b(Token), tile_bytes / 2>(token_out);
  });
}

constexpr std::uint32_t most_tokens_at_once = 4;

void stripe_for_tokens(const ColumnBlock& block, const std::byte* w, std::uint32_t first, std::uint32_t count,
                       float* out) noexcept {
  const float* const x = block.x + first * block.token_floats;
  out += first * block.job.out_stride;
  switch (count) {
    case 1:
      return batch_stripe<1>(block, w, x, out);
    case 2:
      return batch_stripe<2>(block, w, x, out);
    case 3:
      return batch_stripe<3>(block, w, x, out);
    default:
      return batch_stripe<most_tokens_at_once>(block, w, x, out);
  }
}

/// All tokens pass over a stripe while the cache holds it.
void batch_block(const ColumnBlock& block, std::uint32_t n_tokens, float* out) noexcept {
  const std::byte* w = block.w;
  for (std::uint32_t stripe = 0; stripe < block.job.stripes; ++stripe) {
    for (std::uint32_t first = 0; first < n_tokens; first += most_tokens_at_once) {
      stripe_for_tokens(block, w, first, std::min(n_tokens - first, most_tokens_at_once), out);
    }
    w += block.job.stripe_bytes;
    out += stripe_rows;
  }
}

}  // namespace

void batch_stripes(const StripeJob& job, const FloatActivations& x, std::uint32_t first_token,
                   float* out) noexcept {
  const std::size_t group_bytes = job.stripe_bytes / job.groups;
  const std::uint32_t n_tokens = x.batch_tokens(first_token);
  const std::uint32_t most_groups = x.block_groups(n_tokens);
  for (std::uint32_t group = 0; group < job.groups; group += most_groups) {
    const std::uint32_t groups = std::min(most_groups, job.groups - group);
    const ColumnBlock block{job,        job.w + group * group_bytes, groups,
                            group == 0, x.group(first_token, group), std::size_t{groups} * x.record_floats()};
    batch_block(block, n_tokens, out);
  }
}

}  // namespace pspllm::psp
