// q80 matrix times vectors on the VFPU, 8 rows x 4 columns at a time.
//
// A tile of 4 x 4 weights is one lv.q; four vc2i and four vi2f turn it into a matrix of exact floats, vtfm4
// multiplies that with four activations. 32 weights (two tiles that share the activations) cost 2 + 16 + 1 +
// 8 + 2 = 29 issue cycles; their 36 bytes cost about 31 cycles of line fills. Sums within a group are whole
// numbers below 2^24: exact in any order. Between groups, each row keeps the reference's order: sum += (dot *
// weight_scale) * activation_scale.
#include <array>
#include <utility>

#include "engine/ops/packed_rows.hpp"
#include "engine/ops/psp/vfpu.hpp"
#include "engine/ops/psp/vfpu_kernels.hpp"

namespace pspllm::psp {
namespace {

using vfpu::column;
using vfpu::lane;
using vfpu::Quad;

using Packed = PackedRows<stripe_rows>;

/// Bytes of two tiles: four columns of eight rows.
constexpr int tile_bytes = 32;
/// Bytes of the scales behind a group.
constexpr int scale_bytes = 32;
/// Bytes of four activations.
constexpr int x_tile_bytes = 16;

template <typename Body, int... Index>
[[gnu::always_inline]] inline void unrolled_over(std::integer_sequence<int, Index...> /*indices*/,
                                                 Body body) noexcept {
  (body.template operator()<Index>(), ...);
}

/// Calls body<0>() … body<Count - 1>().
template <int Count, typename Body>
[[gnu::always_inline]] inline void unrolled(Body body) noexcept {
  unrolled_over(std::make_integer_sequence<int, Count>{}, body);
}

// --- one token
// -------------------------------------------------------------------------------------------------------
// Matrices 0 and 1 hold the two tiles of weights as floats. Results of vtfm4 (latency 10) are added one tile
// later, and a group is scaled and summed during the first two tiles of the next one, so that nothing waits.

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

template <std::uint32_t M, Quad Raw>
[[gnu::always_inline]] inline void unpack_tile() noexcept {
  vfpu::unpack_bytes<column(M, 0), lane(Raw, 0)>();
  vfpu::unpack_bytes<column(M, 1), lane(Raw, 1)>();
  vfpu::unpack_bytes<column(M, 2), lane(Raw, 2)>();
  vfpu::unpack_bytes<column(M, 3), lane(Raw, 3)>();
}

template <std::uint32_t M>
[[gnu::always_inline]] inline void tile_to_float() noexcept {
  constexpr std::uint32_t byte_in_top = 24;
  vfpu::to_float<column(M, 0), column(M, 0), byte_in_top>();
  vfpu::to_float<column(M, 1), column(M, 1), byte_in_top>();
  vfpu::to_float<column(M, 2), column(M, 2), byte_in_top>();
  vfpu::to_float<column(M, 3), column(M, 3), byte_in_top>();
}

/// Tile `Index` of a group of `Tiles`. Parity tells which dot registers the group uses; raw tiles alternate
/// too. The next tile's bytes are loaded ahead, also across the end of a group (behind its scales) and of a
/// stripe.
template <int Tiles, int Parity, int Index>
[[gnu::always_inline]] inline void single_tile(const std::byte* w, const float* x) noexcept {
  constexpr int next = Index + 1;
  constexpr int next_offset = next * tile_bytes + (next == Tiles ? scale_bytes : 0);
  constexpr Quad previous_a = dot_a(1 - Parity);
  constexpr Quad previous_b = dot_b(1 - Parity);
  vfpu::load<raw_a(next & 1), next_offset>(w);
  vfpu::load<raw_b(next & 1), next_offset + tile_bytes / 2>(w);
  vfpu::load<x_quad, Index * x_tile_bytes>(x);
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

template <int Tiles, int Parity>
[[gnu::always_inline]] inline void single_group(const std::byte* w, const float* x,
                                                const float* scale) noexcept {
  unrolled<Tiles>([=]<int Index>()
                      __attribute__((always_inline)) { single_tile<Tiles, Parity, Index>(w, x); });
  vfpu::load<weight_scale_a, Tiles * tile_bytes>(w);
  vfpu::load<weight_scale_b, Tiles * tile_bytes + scale_bytes / 2>(w);
  vfpu::load<x_scale>(scale);
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

/// Stripes of 8 rows, groups of Tiles * 4. out: 16-byte aligned.
template <int Tiles>
void single_token_stripes(const std::byte* w, std::uint32_t stripes, std::uint32_t groups,
                          const FloatActivations& x, float* out) noexcept {
  static_assert(Tiles % 2 == 0, "raw tiles alternate between two register pairs, also from group to group");
  constexpr std::size_t group_bytes = Tiles * tile_bytes + scale_bytes;
  constexpr std::size_t group_cols = Tiles * 4;
  vfpu::load<raw_a(0)>(w);
  vfpu::load<raw_b(0), tile_bytes / 2>(w);
  for (; stripes > 0; --stripes) {
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
    const float* values = x.values;
    const float* scale = x.scales;
    std::uint32_t left = groups;
    for (; left >= 2; left -= 2) {
      single_group<Tiles, 0>(w, values, scale);
      w += group_bytes;
      values += group_cols;
      single_group<Tiles, 1>(w, values, scale + 1);
      w += group_bytes;
      values += group_cols;
      scale += 2;
    }
    if (left != 0) {
      single_group<Tiles, 0>(w, values, scale);
      w += group_bytes;
      finish_last_group<0>();
    } else {
      finish_last_group<1>();
    }
    vfpu::store<sum_a>(out);
    vfpu::store<sum_b, tile_bytes / 2>(out);
    out += stripe_rows;
  }
}

// --- several tokens
// -------------------------------------------------------------------------------------------------- Weights
// are unpacked once for up to four tokens: 18 + 11 cycles a token for 32 weights. Also serves one token with
// odd group sizes.

constexpr Quad shared_raw_a = column(2, 0);
constexpr Quad shared_raw_b = column(2, 1);
constexpr Quad token_x(int token) noexcept {
  return column(2, static_cast<std::uint32_t>(2 + (token & 1)));
}
constexpr Quad token_result_a(int token) noexcept {
  return column(3, static_cast<std::uint32_t>(2 * (token & 1)));
}
constexpr Quad token_result_b(int token) noexcept {
  return column(3, static_cast<std::uint32_t>(2 * (token & 1) + 1));
}
constexpr Quad token_dot_a(int token) noexcept {
  return column(static_cast<std::uint32_t>(4 + token / 2), static_cast<std::uint32_t>(2 * (token & 1)));
}
constexpr Quad token_dot_b(int token) noexcept {
  return {token_dot_a(token).number + 1};
}
constexpr Quad token_sum_a(int token) noexcept {
  return {token_dot_a(token).number + 8};
}
constexpr Quad token_sum_b(int token) noexcept {
  return {token_sum_a(token).number + 1};
}
constexpr Quad group_scale_a = column(3, 0);
constexpr Quad group_scale_b = column(3, 1);
constexpr Quad group_x_scales = column(3, 2);

template <int Token>
[[gnu::always_inline]] inline void add_result() noexcept {
  vfpu::add<token_dot_a(Token), token_dot_a(Token), token_result_a(Token)>();
  vfpu::add<token_dot_b(Token), token_dot_b(Token), token_result_b(Token)>();
}

/// A place in each token's activations.
template <int Tokens>
using Pointers = std::array<const float*, std::size_t{Tokens}>;

/// One tile for Tokens tokens; the raw registers hold it, and hold the one at `next` afterwards.
template <int Tokens>
[[gnu::always_inline]] inline void batch_tile(const std::byte* next, const Pointers<Tokens>& x,
                                              std::size_t x_offset) noexcept {
  unpack_tile<0, shared_raw_a>();
  unpack_tile<1, shared_raw_b>();
  vfpu::load<shared_raw_a>(next);
  vfpu::load<shared_raw_b, tile_bytes / 2>(next);
  vfpu::load<token_x(0)>(x[0] + x_offset);
  tile_to_float<0>();
  tile_to_float<1>();
  unrolled<Tokens>([=]<int Index>() __attribute__((always_inline)) {
    // The next token's activations are on their way while this one's are used.
    if constexpr (Index + 1 < Tokens) vfpu::load<token_x(Index + 1)>(x[Index + 1] + x_offset);
    vfpu::transform<token_result_a(Index), 0, token_x(Index)>();
    vfpu::transform<token_result_b(Index), 1, token_x(Index)>();
    if constexpr (Index > 0) add_result<Index - 1>();
  });
  add_result<Tokens - 1>();
}

template <int Tokens>
[[gnu::always_inline]] inline void finish_batch_group(const std::byte* scales,
                                                      const Pointers<Tokens>& x_scales) noexcept {
  vfpu::load<group_scale_a>(scales);
  vfpu::load<group_scale_b, scale_bytes / 2>(scales);
  unrolled<Tokens>([=]<int Index>() __attribute__((always_inline)) {
    constexpr int token = Index;
    vfpu::load<lane(group_x_scales, static_cast<std::uint32_t>(token))>(x_scales[token]);
    vfpu::multiply<token_dot_a(token), token_dot_a(token), group_scale_a>();
    vfpu::multiply<token_dot_b(token), token_dot_b(token), group_scale_b>();
  });
  unrolled<Tokens>([=]<int Index>() __attribute__((always_inline)) {
    constexpr int token = Index;
    constexpr vfpu::Single scale = lane(group_x_scales, static_cast<std::uint32_t>(token));
    vfpu::scale<token_dot_a(token), token_dot_a(token), scale>();
    vfpu::scale<token_dot_b(token), token_dot_b(token), scale>();
  });
  unrolled<Tokens>([=]<int Index>() __attribute__((always_inline)) {
    constexpr int token = Index;
    vfpu::add<token_sum_a(token), token_sum_a(token), token_dot_a(token)>();
    vfpu::add<token_sum_b(token), token_sum_b(token), token_dot_b(token)>();
    vfpu::zero<token_dot_a(token)>();
    vfpu::zero<token_dot_b(token)>();
  });
}

struct BatchJob {
  const std::byte* w = nullptr;
  std::uint32_t stripes = 0;
  std::uint32_t groups = 0;
  std::uint32_t tiles = 0;  ///< in a group
  std::size_t stripe_bytes = 0;
  std::size_t out_stride = 0;
};

/// Moves every token's place by Floats; unrolled, so that the places stay in registers.
template <int Floats, int Tokens>
[[gnu::always_inline]] inline void advance(Pointers<Tokens>& x) noexcept {
  unrolled<Tokens>([&x]<int Index>() __attribute__((always_inline)) { x[Index] += Floats; });
}

/// One stripe for Tokens tokens. out: row 0 of the stripe for the first token, 16-byte aligned, as out_stride
/// is.
template <int Tokens>
void batch_stripe(const BatchJob& job, const std::byte* w, const FloatActivations* tokens,
                  float* out) noexcept {
  Pointers<Tokens> x_scales;
  Pointers<Tokens> x;
  unrolled<Tokens>([&]<int Index>() __attribute__((always_inline)) {
    x[Index] = tokens[Index].values;
    x_scales[Index] = tokens[Index].scales;
    vfpu::zero<token_sum_a(Index)>();
    vfpu::zero<token_sum_b(Index)>();
    vfpu::zero<token_dot_a(Index)>();
    vfpu::zero<token_dot_b(Index)>();
  });
  vfpu::load<shared_raw_a>(w);
  vfpu::load<shared_raw_b, tile_bytes / 2>(w);
  for (std::uint32_t group = job.groups; group > 0; --group) {
    std::uint32_t left = job.tiles;
    for (; left >= 2; left -= 2) {
      batch_tile<Tokens>(w + tile_bytes, x, 0);
      // The tile after the group's last one lies behind its scales.
      w += 2 * tile_bytes + (left == 2 ? scale_bytes : 0);
      batch_tile<Tokens>(w, x, 4);
      advance<8, Tokens>(x);
    }
    if (left != 0) {
      w += tile_bytes + scale_bytes;
      batch_tile<Tokens>(w, x, 0);
      advance<4, Tokens>(x);
    }
    finish_batch_group<Tokens>(w - scale_bytes, x_scales);
    advance<1, Tokens>(x_scales);
  }
  unrolled<Tokens>([&]<int Index>() __attribute__((always_inline)) {
    float* const token_out = out + Index * job.out_stride;
    vfpu::store<token_sum_a(Index)>(token_out);
    vfpu::store<token_sum_b(Index), tile_bytes / 2>(token_out);
  });
}

constexpr std::uint32_t most_tokens_at_once = 4;

void stripe_for_tokens(const BatchJob& job, const std::byte* w, const FloatActivations* tokens,
                       std::uint32_t count, float* out) noexcept {
  switch (count) {
    case 1:
      return batch_stripe<1>(job, w, tokens, out);
    case 2:
      return batch_stripe<2>(job, w, tokens, out);
    case 3:
      return batch_stripe<3>(job, w, tokens, out);
    default:
      return batch_stripe<most_tokens_at_once>(job, w, tokens, out);
  }
}

/// All tokens pass over a stripe while the cache holds it.
void batch_stripes(const BatchJob& job, const QuantizedActivations& x, float* out) noexcept {
  const std::byte* w = job.w;
  for (std::uint32_t stripe = 0; stripe < job.stripes; ++stripe) {
    for (std::uint32_t first = 0; first < x.n_tokens; first += most_tokens_at_once) {
      const std::uint32_t left = x.n_tokens - first;
      const std::uint32_t count = left < most_tokens_at_once ? left : most_tokens_at_once;
      FloatActivations tokens[most_tokens_at_once];
      for (std::uint32_t i = 0; i < count; ++i) tokens[i] = token_of(x, first + i);
      stripe_for_tokens(job, w, tokens, count, out + first * job.out_stride);
    }
    w += job.stripe_bytes;
    out += stripe_rows;
  }
}

/// The same where a token's outputs are not 16-byte aligned: through a copy.
void batch_stripes_unaligned(const BatchJob& job, const QuantizedActivations& x, float* out) noexcept {
  alignas(16) float lanes[stripe_rows];
  BatchJob one = job;
  one.stripes = 1;
  for (std::uint32_t token = 0; token < x.n_tokens; ++token) {
    const FloatActivations activations = token_of(x, token);
    for (std::uint32_t stripe = 0; stripe < job.stripes; ++stripe) {
      stripe_for_tokens(one, job.w + stripe * job.stripe_bytes, &activations, 1, lanes);
      std::memcpy(out + token * job.out_stride + std::size_t{stripe} * stripe_rows, lanes, sizeof lanes);
    }
  }
}

// --- rows outside stripes
// --------------------------------------------------------------------------------------------

/// The reference's order on whole numbers held in floats.
float scalar_dot(const std::int8_t* values, const float* scales, const FloatActivations& x,
                 std::uint32_t groups, std::uint32_t group_size) noexcept {
  float sum = 0.0F;
  const float* x_values = x.values;
  for (std::uint32_t group = 0; group < groups; ++group) {
    std::int32_t products = 0;
    for (std::uint32_t i = 0; i < group_size; ++i) {
      products += static_cast<std::int32_t>(*values++) * static_cast<std::int32_t>(*x_values++);
    }
    sum += (static_cast<float>(products) * scales[group]) * x.scales[group];
  }
  return sum;
}

void scalar_rows(const Matrix& matrix, const QuantizedActivations& x, float* out, std::uint32_t out_stride,
                 Range rows) noexcept {
  const bool packed = is_packed(matrix.group_size);
  const Packed layout = packed ? Packed::of(matrix) : Packed{};
  const std::uint32_t first_tail = packed ? layout.stripes * stripe_rows : 0;
  const auto* all_values = reinterpret_cast<const std::int8_t*>(matrix.data);
  const auto* all_scales =
      reinterpret_cast<const float*>(matrix.data + scales_offset(matrix.rows, matrix.cols));
  const std::uint32_t groups = matrix.groups_per_row();
  for (std::uint32_t row = rows.begin; row < rows.end; ++row) {
    const std::uint32_t index = row - first_tail;
    const std::int8_t* values =
        packed ? layout.tail_values(matrix, index) : all_values + std::size_t{index} * matrix.cols;
    const float* scales =
        packed ? layout.tail_scales(matrix, index) : all_scales + std::size_t{index} * groups;
    for (std::uint32_t token = 0; token < x.n_tokens; ++token) {
      out[std::size_t{token} * out_stride + row] =
          scalar_dot(values, scales, token_of(x, token), groups, matrix.group_size);
    }
  }
}

void packed_stripes(const BatchJob& job, const QuantizedActivations& x, float* out) noexcept {
  constexpr std::uint32_t tiles_of_32 = 8;
  constexpr std::uint32_t tiles_of_64 = 16;
  if (x.n_tokens == 1 && job.tiles == tiles_of_32) {
    return single_token_stripes<tiles_of_32>(job.w, job.stripes, job.groups, token_of(x, 0), out);
  }
  if (x.n_tokens == 1 && job.tiles == tiles_of_64) {
    return single_token_stripes<tiles_of_64>(job.w, job.stripes, job.groups, token_of(x, 0), out);
  }
  if (x.n_tokens == 1 || job.out_stride % 4 == 0) return batch_stripes(job, x, out);
  batch_stripes_unaligned(job, x, out);
}

}  // namespace

void matmul_q80_8x4_vfpu(const Matrix& matrix, const QuantizedActivations& x, float* out,
                         std::uint32_t out_stride, Range rows) noexcept {
  if (!is_packed(matrix.group_size)) return scalar_rows(matrix, x, out, out_stride, rows);
  const Packed packed = Packed::of(matrix);
  const std::uint32_t first_stripe = rows.begin / stripe_rows;
  const std::uint32_t end_stripe =
      rows.end / stripe_rows < packed.stripes ? rows.end / stripe_rows : packed.stripes;
  if (first_stripe < end_stripe) {
    const BatchJob job{packed.stripe(matrix, first_stripe),
                       end_stripe - first_stripe,
                       matrix.groups_per_row(),
                       matrix.group_size / 4,
                       packed.stripe_bytes,
                       out_stride};
    packed_stripes(job, x, out + first_stripe * stripe_rows);
  }
  const std::uint32_t tail_begin = packed.stripes * stripe_rows;
  if (rows.end > tail_begin) {
    scalar_rows(matrix, x, out, out_stride, {rows.begin > tail_begin ? rows.begin : tail_begin, rows.end});
  }
}

}  // namespace pspllm::psp
