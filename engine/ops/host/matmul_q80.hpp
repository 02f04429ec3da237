// int8 matrix times quantised activations on packed stripes (packed_q80.hpp): lanes are rows, so every row's
// floats are added in the reference's order; several tokens share each weight that is loaded.
#pragma once

#include "engine/ops/host/packed_q80.hpp"
#include "engine/ops/host/quantized_tokens.hpp"
#include "engine/ops/host/vectors.hpp"
#include "engine/ops/reference/matrix_view.hpp"

namespace pspllm::host {

/// Where a stripe lies. Strides are constants for a full stripe, so the compiler folds them.
template <class Isa>
struct FullStripe {
  const std::byte* data = nullptr;
  static constexpr std::size_t step_bytes = std::size_t{Isa::lanes} * Isa::format.columns_per_step;
  static constexpr std::size_t scales_bytes = Isa::lanes * sizeof(float);
  static constexpr std::size_t steps_back = 0;
  static constexpr std::size_t scales_back = 0;
};

/// The narrower last stripe: loads start so early that its rows are the last lanes.
struct NarrowStripe {
  const std::byte* data = nullptr;
  std::size_t step_bytes = 0;
  std::size_t scales_bytes = 0;
  std::size_t steps_back = 0;
  std::size_t scales_back = 0;
};

/// Tokens whose products are computed together.
struct TokenBlock {
  const std::byte* data = nullptr;  // of the first token
  TokenLayout layout;
  std::uint32_t n_groups = 0;
  std::uint32_t steps_per_group = 0;
};

/// How far ahead of the loads memory is asked for when one token streams through the weights.
inline constexpr std::size_t prefetch_bytes = 4096;

/// sums[token]: lanes are rows. fixed_steps: steps_per_group where it is known to the compiler, else 0.
template <class Isa, std::uint32_t n_tokens, std::uint32_t fixed_steps, class Stripe>
[[gnu::always_inline]] inline void multiply_stripe(const Stripe& stripe, const TokenBlock& x,
                                                   Floats<Isa::lanes> (&sums)[n_tokens]) noexcept {
  using V = Lanes<Isa>;
  const std::uint32_t n_steps = fixed_steps != 0 ? fixed_steps : x.steps_per_group;
  const std::byte* weights = stripe.data;
  const std::byte* values = x.data;
  const std::byte* scales = x.data + x.layout.scales;
  const std::size_t corrections = x.layout.corrections - x.layout.scales;
  for (auto& sum : sums) sum = Floats<Isa::lanes>{};
  for (std::uint32_t group = 0; group < x.n_groups; ++group) {
    Ints<Isa::lanes> products[n_tokens];
    for (std::uint32_t token = 0; token < n_tokens; ++token) {
      products[token] = Ints<Isa::lanes>{};
      if constexpr (Isa::format.value_flip != 0) {
        std::int32_t correction = 0;
        __builtin_memcpy(&correction, scales + token * x.layout.bytes + corrections, sizeof correction);
        products[token] = V::broadcast(correction);
      }
    }
    for (std::uint32_t step = 0; step < n_steps; ++step) {
      if constexpr (n_tokens == 1) __builtin_prefetch(weights + prefetch_bytes);
      const typename Isa::WeightStep w = Isa::load_weights(weights - stripe.steps_back);
      weights += stripe.step_bytes;
      for (std::uint32_t token = 0; token < n_tokens; ++token) {
        std::int32_t broadcast = 0;
        __builtin_memcpy(&broadcast, values + token * x.layout.bytes, sizeof broadcast);
        products[token] = Isa::multiply_add(products[token], w, broadcast);
      }
      values += sizeof(std::int32_t);
    }
    const Floats<Isa::lanes> weight_scales = V::load(weights - stripe.scales_back);
    weights += stripe.scales_bytes;
    for (std::uint32_t token = 0; token < n_tokens; ++token) {
      float scale = 0.0F;
      __builtin_memcpy(&scale, scales + token * x.layout.bytes, sizeof scale);
      sums[token] += (V::to_float(products[token]) * weight_scales) * V::broadcast(scale);
    }
    scales += sizeof(float);
  }
}

/// Where a stripe's results go: out[token * stride + row].
struct StripeOutput {
  float* out = nullptr;
  std::size_t stride = 0;
};

template <class Isa, std::uint32_t n_tokens, std::uint32_t fixed_steps>
[[gnu::always_inline]] inline void full_stripe(const std::byte* data, const TokenBlock& x,
                                               const StripeOutput& to) noexcept {
  Floats<Isa::lanes> sums[n_tokens];
  multiply_stripe<Isa, n_tokens, fixed_steps>(FullStripe<Isa>{data}, x, sums);
  for (std::uint32_t token = 0; token < n_tokens; ++token) {
    Lanes<Isa>::store(to.out + token * to.stride, sums[token]);
  }
}

template <class Isa, std::uint32_t n_tokens>
[[gnu::noinline]] void narrow_stripe(const std::byte* data, std::uint32_t width, const TokenBlock& x,
                                     const StripeOutput& to) noexcept {
  const std::size_t missing = Isa::lanes - width;
  const NarrowStripe stripe{data, std::size_t{width} * Isa::format.columns_per_step, width * sizeof(float),
                            missing * Isa::format.columns_per_step, missing * sizeof(float)};
  Floats<Isa::lanes> sums[n_tokens];
  multiply_stripe<Isa, n_tokens, 0>(stripe, x, sums);
  for (std::uint32_t token = 0; token < n_tokens; ++token) {
    for (std::uint32_t row = 0; row < width; ++row) {
      to.out[token * to.stride + row] = sums[token][missing + row];
    }
  }
}

/// Every stripe of `rows` for one block of tokens, the weights of a stripe staying in the first cache.
template <class Isa, std::uint32_t n_tokens, std::uint32_t fixed_steps>
void stripe_of_block(const Matrix& matrix, std::uint32_t first_row, const TokenBlock& x,
                     const StripeOutput& to) noexcept {
  const std::byte* const data = matrix.data + first_row / Isa::lanes * stripe_bytes(matrix, Isa::lanes);
  const std::uint32_t left = matrix.rows - first_row;
  if (left >= Isa::lanes) {
    full_stripe<Isa, n_tokens, fixed_steps>(data, x, to);
  } else {
    narrow_stripe<Isa, n_tokens>(data, left, x, to);
  }
}

template <class Isa, std::uint32_t fixed_steps>
[[gnu::always_inline]] inline void multiply_rows(const Matrix& matrix, const QuantizedActivations& x,
                                                 float* out, std::uint32_t out_stride, Range rows) noexcept {
  TokenBlock first{x.data, token_layout(x.cols, x.group_size, sizeof(typename Isa::Activation)),
                   matrix.groups_per_row(), matrix.group_size / Isa::format.columns_per_step};
  for (std::uint32_t row = rows.begin; row < rows.end; row += Isa::lanes) {
    TokenBlock block = first;
    StripeOutput to{out + row, out_stride};
    const auto advance = [&](std::uint32_t n_tokens) {
      block.data += n_tokens * block.layout.bytes;
      to.out += n_tokens * to.stride;
    };
    std::uint32_t left = x.n_tokens;
    for (; left >= Isa::token_tile; left -= Isa::token_tile, advance(Isa::token_tile)) {
      stripe_of_block<Isa, Isa::token_tile, fixed_steps>(matrix, row, block, to);
    }
    if constexpr (Isa::token_tile > 4) {
      for (; left >= 4; left -= 4, advance(4)) stripe_of_block<Isa, 4, fixed_steps>(matrix, row, block, to);
    }
    for (; left >= 2; left -= 2, advance(2)) stripe_of_block<Isa, 2, fixed_steps>(matrix, row, block, to);
    if (left == 1) stripe_of_block<Isa, 1, fixed_steps>(matrix, row, block, to);
  }
}

/// A matrix that has too few rows to be packed, row by row.
template <class Isa>
void matmul_few_rows(const Matrix& matrix, const QuantizedActivations& x, float* out,
                     std::uint32_t out_stride, Range rows) noexcept {
  const TokenLayout layout = token_layout(x.cols, x.group_size, sizeof(typename Isa::Activation));
  for (std::size_t token = 0; token < x.n_tokens; ++token) {
    const std::byte* const bytes = x.data + token * layout.bytes;
    const auto* const scales = reinterpret_cast<const float*>(bytes + layout.scales);
    for (std::uint32_t row = rows.begin; row < rows.end; ++row) {
      const reference::QuantizedRow w = reference::q80_row(matrix, row);
      const auto* x_value = reinterpret_cast<const typename Isa::Activation*>(bytes);
      const std::int8_t* w_value = w.values;
      float sum = 0.0F;
      for (std::uint32_t group = 0; group < matrix.groups_per_row(); ++group) {
        std::int32_t products = 0;
        for (std::uint32_t i = 0; i < x.group_size; ++i) products += *x_value++ * *w_value++;
        sum += (static_cast<float>(products) * w.scales[group]) * scales[group];
      }
      out[token * out_stride + row] = sum;
    }
  }
}

/// matrix: packed; rows: whole stripes.
template <class Isa>
void matmul_packed_q80(const Matrix& matrix, const QuantizedActivations& x, float* out,
                       std::uint32_t out_stride, Range rows) noexcept {
  constexpr std::uint32_t step = Isa::format.columns_per_step;
  switch (matrix.group_size) {
    case 32:
      return multiply_rows<Isa, 32 / step>(matrix, x, out, out_stride, rows);
    case 64:
      return multiply_rows<Isa, 64 / step>(matrix, x, out, out_stride, rows);
    case step:
      return multiply_rows<Isa, 1>(matrix, x, out, out_stride, rows);
    default:
      return multiply_rows<Isa, 0>(matrix, x, out, out_stride, rows);
  }
}

}  // namespace pspllm::host
