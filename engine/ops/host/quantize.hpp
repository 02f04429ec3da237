// Activations to int8: a vector's largest magnitude, an IEEE division, halves away from zero.
#pragma once

#include "engine/ops/host/quantized_tokens.hpp"
#include "engine/ops/host/vectors.hpp"
#include "engine/ops/rounding_by_reciprocal.hpp"

namespace pspllm::host {

/// max|x|, NaNs passed over. Lanes may be compared in any order: equal magnitudes have equal bits.
template <class Isa>
[[gnu::always_inline]] inline float largest_magnitude(const float* x, std::uint32_t n) noexcept {
  using V = Lanes<Isa>;
  typename V::F largest{};
  std::uint32_t i = 0;
  for (; i + Isa::lanes <= n; i += Isa::lanes) {
    const typename V::F value = V::load(x + i);
    const typename V::F magnitude = value < 0.0F ? -value : value;
    largest = magnitude > largest ? magnitude : largest;
  }
  float result = reduce<float, Isa::lanes>(largest, [](auto a, auto b) { return a > b ? a : b; });
  for (; i < n; ++i) {
    const float magnitude = x[i] < 0.0F ? -x[i] : x[i];
    if (magnitude > result) result = magnitude;
  }
  return result;
}

/// value * factor to the nearest integer, halves away from zero; 0 where value is not finite, as on the
/// reference's x86.
template <class Isa, std::uint32_t n>
[[gnu::always_inline]] inline Ints<n> round_finite(Floats<n> value, Floats<n> factor) noexcept {
  using V = Lanes<Isa, n>;
  constexpr std::int32_t exponent_bits = 0x7f800000;
  const Ints<n> finite = (reinterpret_cast<Ints<n>>(value) & exponent_bits) != exponent_bits;
  const Floats<n> safe = (finite ? value : Floats<n>{}) * factor;
  const Ints<n> whole = V::truncate(safe);
  const Floats<n> rest = safe - V::to_float(whole);
  // A comparison that holds is -1.
  return whole - (rest >= 0.5F) + (rest <= -0.5F);
}

template <class Isa, std::uint32_t n>
[[gnu::always_inline]] inline Ints<n> quantize_lanes(Floats<n> x, Floats<n> scale) noexcept {
  return round_finite<Isa, n>(x / scale, Lanes<Isa, n>::broadcast(1.0F));
}

/// Keeps the low byte of each lane, signed, as C's conversion to int8 does; gives the values as they are
/// then.
template <std::uint32_t n, typename Value>
[[gnu::always_inline]] inline Ints<n> store_values(Value* to, Ints<n> values) noexcept {
  using Stored = Vector<Value, n>;
  const Ints<n> bytes = (values << 24) >> 24;
  const Stored stored = __builtin_convertvector(bytes, Stored);
  __builtin_memcpy(to, &stored, sizeof stored);
  return bytes;
}

/// One group, to int8 or int16; gives the sum of its values. values may begin where x does.
template <class Isa, typename Value>
[[gnu::always_inline]] inline std::int32_t quantize_values(const float* x, std::uint32_t n, float scale,
                                                           Value* values) noexcept {
  using Wide = Lanes<Isa>;
  using Single = Lanes<Isa, 1>;
  typename Wide::I sums{};
  std::uint32_t i = 0;
  for (; i + Isa::lanes <= n; i += Isa::lanes) {
    const typename Wide::I quantized =
        quantize_lanes<Isa, Isa::lanes>(Wide::load(x + i), Wide::broadcast(scale));
    sums += store_values<Isa::lanes>(values + i, quantized);
  }
  std::int32_t sum = reduce<std::int32_t, Isa::lanes>(sums, [](auto a, auto b) { return a + b; });
  for (; i < n; ++i) {
    const Ints<1> quantized = quantize_lanes<Isa, 1>(Single::broadcast(x[i]), Single::broadcast(scale));
    sum += store_values<1>(values + i, quantized)[0];
  }
  return sum;
}

inline constexpr float smallest_normal = 0x1p-126F;

/// The scale of a whole vector, and the sum of its values.
struct QuantizedVector {
  float scale = 0.0F;
  std::int32_t sum = 0;
};

/// A vector with a scale of its own: zeros where that is not a normal number (docs/numerics.md, contract 3).
/// values may begin where x does.
template <class Isa, typename Value>
[[gnu::always_inline]] inline QuantizedVector quantize_vector(const float* x, std::uint32_t n,
                                                              Value* values) noexcept {
  const float scale = largest_magnitude<Isa>(x, n) / largest_quantized;
  if (!(scale >= smallest_normal && scale - scale == 0.0F)) {
    __builtin_memset(values, 0, n * sizeof(Value));
    return {};
  }
  return {scale, quantize_values<Isa>(x, n, scale, values)};
}

template <class Isa>
void quantize_tokens(const float* x, const QuantizedActivations& out) noexcept {
  const std::uint32_t n_groups = out.cols / out.group_size;
  const TokenLayout layout = token_layout(out.cols, out.group_size, sizeof(typename Isa::Activation));
  std::byte* token_bytes = out.data;
  for (std::uint32_t token = 0; token < out.n_tokens; ++token, token_bytes += layout.bytes) {
    auto* values = reinterpret_cast<typename Isa::Activation*>(token_bytes);
    auto* const scales = reinterpret_cast<float*>(token_bytes + layout.scales);
    auto* const corrections = reinterpret_cast<std::int32_t*>(token_bytes + layout.corrections);
    for (std::uint32_t group = 0; group < n_groups; ++group) {
      const float scale = largest_magnitude<Isa>(x, out.group_size) / largest_quantized;
      scales[group] = scale;
      corrections[group] = -128 * quantize_values<Isa>(x, out.group_size, scale, values);
      x += out.group_size;
      values += out.group_size;
    }
  }
}

}  // namespace pspllm::host
