// RMSNorm, softmax, SwiGLU, argmax: vector work around sums that stay in order.
#pragma once

#include "engine/math/host/exact_math_host.hpp"
#include "engine/ops/host/vectors.hpp"

namespace pspllm::host {

/// Applies body.operator()<n>(i) to [0, count): full vectors first, then single elements.
template <class Isa, class Body>
[[gnu::always_inline]] inline void for_each_lane(std::uint32_t count, Body body) noexcept {
  std::uint32_t i = 0;
  for (; i + Isa::lanes <= count; i += Isa::lanes) body.template operator()<Isa::lanes>(i);
  for (; i < count; ++i) body.template operator()<1>(i);
}

template <class Isa>
void rmsnorm(float* out, const float* x, const float* weight, std::uint32_t n, float epsilon) noexcept {
  float sum_of_squares = 0.0F;
  for (std::uint32_t i = 0; i < n; ++i) sum_of_squares += x[i] * x[i];
  sum_of_squares /= static_cast<float>(static_cast<std::int32_t>(n));
  sum_of_squares += epsilon;
  const float factor = 1.0F / __builtin_sqrtf(sum_of_squares);
  for_each_lane<Isa>(n, [&]<std::uint32_t lanes>(std::uint32_t i) {
    using V = Lanes<Isa, lanes>;
    V::store(out + i, V::load(weight + i) * (V::broadcast(factor) * V::load(x + i)));
  });
}

/// The largest of x as a running comparison from x[0] finds it: a NaN in front stays, others are passed over.
template <class Isa>
[[gnu::always_inline]] inline float largest_of(const float* x, std::uint32_t n) noexcept {
  using V = Lanes<Isa>;
  typename V::F lanes = V::broadcast(x[0]);
  std::uint32_t i = 0;
  for (; i + Isa::lanes <= n; i += Isa::lanes) {
    const typename V::F value = V::load(x + i);
    lanes = value > lanes ? value : lanes;
  }
  float largest = reduce<float, Isa::lanes>(lanes, [](auto a, auto b) { return a > b ? a : b; });
  for (; i < n; ++i) {
    if (x[i] > largest) largest = x[i];
  }
  return largest;
}

template <class Isa>
void softmax(float* x, std::uint32_t n) noexcept {
  const float largest = largest_of<Isa>(x, n);
  for_each_lane<Isa>(n, [&]<std::uint32_t lanes>(std::uint32_t i) {
    using V = Lanes<Isa, lanes>;
    V::store(x + i, V::load(x + i) - V::broadcast(largest));
  });
  fastest_exact_math().exp_many(x, x, n);
  float sum = 0.0F;
  for (std::uint32_t i = 0; i < n; ++i) sum += x[i];
  for_each_lane<Isa>(n, [&]<std::uint32_t lanes>(std::uint32_t i) {
    using V = Lanes<Isa, lanes>;
    V::store(x + i, V::load(x + i) / V::broadcast(sum));
  });
}

/// Floats that SwiGLU passes through expf at a time: they stay in the first cache.
inline constexpr std::uint32_t swiglu_block = 512;

template <class Isa>
void swiglu(float* gate, const float* up, std::uint32_t n) noexcept {
  float exponentials[swiglu_block];
  for (std::uint32_t done = 0; done < n; done += swiglu_block, gate += swiglu_block, up += swiglu_block) {
    const std::uint32_t count = n - done < swiglu_block ? n - done : swiglu_block;
    for_each_lane<Isa>(count, [&]<std::uint32_t lanes>(std::uint32_t i) {
      Lanes<Isa, lanes>::store(exponentials + i, -Lanes<Isa, lanes>::load(gate + i));
    });
    fastest_exact_math().exp_many(exponentials, exponentials, count);
    for_each_lane<Isa>(count, [&]<std::uint32_t lanes>(std::uint32_t i) {
      using V = Lanes<Isa, lanes>;
      typename V::F value = V::load(gate + i);
      value *= 1.0F / (1.0F + V::load(exponentials + i));
      value *= V::load(up + i);
      V::store(gate + i, value);
    });
  }
}

/// Floats among which argmax looks for its value at a time.
inline constexpr std::uint32_t argmax_block = 64;

template <class Isa>
std::uint32_t argmax(const float* x, std::uint32_t n) noexcept {
  const float largest = largest_of<Isa>(x, n);
  std::uint32_t i = 0;
  for (; i + argmax_block <= n; i += argmax_block) {
    std::uint32_t found = 0;
    for (std::uint32_t j = 0; j < argmax_block; ++j) found |= x[i + j] == largest ? 1U : 0U;
    if (found != 0) break;
  }
  for (; i < n; ++i) {
    if (x[i] == largest) return i;
  }
  return 0;  // x[0] is a NaN: nothing compares as larger.
}

}  // namespace pspllm::host
