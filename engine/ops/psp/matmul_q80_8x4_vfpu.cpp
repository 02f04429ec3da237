// q80 matrix times vectors on the VFPU, 8 rows x 4 columns at a time. Sums within a group are whole numbers
// below 2^24: exact in any order. Between groups, each row keeps the reference's order: sum += (dot *
// weight_scale) * activation_scale. This file shares out the work; rows outside stripes are scalar.
#include <cstring>

#include "engine/ops/packed_rows.hpp"
#include "engine/ops/psp/matmul_q80_tiles.hpp"

namespace pspllm::psp {
namespace {

using Packed = PackedRows<stripe_rows>;

/// Where the tokens' outputs are not 16-byte aligned: stripe by stripe through a copy.
void batch_stripes_unaligned(const StripeJob& job, const FloatActivations& x, std::uint32_t first_token,
                             float* out) noexcept {
  alignas(16) float lanes[FloatActivations::most_tokens * stripe_rows];
  StripeJob one = job;
  one.stripes = 1;
  one.out_stride = stripe_rows;
  for (std::uint32_t stripe = 0; stripe < job.stripes; ++stripe) {
    batch_stripes(one, x, first_token, lanes);
    for (std::uint32_t token = 0; token < x.batch_tokens(first_token); ++token) {
      std::memcpy(out + token * job.out_stride, lanes + std::size_t{token} * stripe_rows,
                  stripe_rows * sizeof(float));
    }
    one.w += job.stripe_bytes;
    out += stripe_rows;
  }
}

/// The reference's order on whole numbers held in floats.
float scalar_dot(const std::int8_t* values, const float* scales, const FloatActivations& x,
                 std::uint32_t token) noexcept {
  float sum = 0.0F;
  for (std::uint32_t group = 0; group < x.groups; ++group) {
    const float* const x_values = x.group(token, group);
    std::int32_t products = 0;
    for (std::uint32_t i = 0; i < x.group_size; ++i) {
      products += static_cast<std::int32_t>(*values++) * static_cast<std::int32_t>(x_values[i]);
    }
    sum += (static_cast<float>(products) * scales[group]) * x_values[x.group_size];
  }
  return sum;
}

void scalar_rows(const Matrix& matrix, const FloatActivations& x, float* out, std::uint32_t out_stride,
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
      out[std::size_t{token} * out_stride + row] = scalar_dot(values, scales, x, token);
    }
  }
}

void packed_stripes(const StripeJob& job, const FloatActivations& x, float* out) noexcept {
  constexpr std::uint32_t tiles_of_32 = 8;
  constexpr std::uint32_t tiles_of_64 = 16;
  if (x.n_tokens == 1 && job.tiles == tiles_of_32) {
    return single_token_stripes<tiles_of_32>(job, x, out);
  }
  if (x.n_tokens == 1 && job.tiles == tiles_of_64) {
    return single_token_stripes<tiles_of_64>(job, x, out);
  }
  const bool is_aligned = x.n_tokens == 1 || job.out_stride % 4 == 0;
  for (std::uint32_t token = 0; token < x.n_tokens; token += FloatActivations::most_tokens) {
    float* const token_out = out + token * job.out_stride;
    is_aligned ? batch_stripes(job, x, token, token_out) : batch_stripes_unaligned(job, x, token, token_out);
  }
}

}  // namespace

void matmul_q80_8x4_vfpu(const Matrix& matrix, const QuantizedActivations& quantized, float* out,
                         std::uint32_t out_stride, Range rows) noexcept {
  const FloatActivations x = FloatActivations::of(quantized);
  if (!is_packed(matrix.group_size)) return scalar_rows(matrix, x, out, out_stride, rows);
  const Packed packed = Packed::of(matrix);
  const std::uint32_t first_stripe = rows.begin / stripe_rows;
  const std::uint32_t end_stripe =
      rows.end / stripe_rows < packed.stripes ? rows.end / stripe_rows : packed.stripes;
  if (first_stripe < end_stripe) {
    const StripeJob job{packed.stripe(matrix, first_stripe),
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
