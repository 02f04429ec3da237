// SwiGLU, softmax and RMSNorm: divisions and products on the VFPU, exponentials two at a time on the integer
// unit, sums in the reference's order.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "engine/math/exact_math.hpp"
#include "engine/ops/psp/largest_magnitude.hpp"
#include "engine/ops/psp/vfpu.hpp"
#include "engine/ops/psp/vfpu_kernels.hpp"
#include "engine/ops/reference/reference.hpp"

namespace pspllm::psp {
namespace {

using vfpu::column;
using vfpu::lane;
using vfpu::Quad;

bool is_aligned(const float* x) noexcept {
  return reinterpret_cast<std::uintptr_t>(x) % 16 == 0;
}

/// Whether all |x[i]| are below `bound`. n: a multiple of 4.
bool all_below(const float* x, std::uint32_t n, float bound) noexcept {
  find_largest_magnitude(x, n);
  return vfpu::bits_of<lane(column(0, 0), 0)>() < std::bit_cast<std::uint32_t>(bound);
}

template <Quad Q>
[[gnu::always_inline]] inline void set_all(const float* value) noexcept {
  vfpu::load<lane(Q, 0)>(value);
  vfpu::load<lane(Q, 1)>(value);
  vfpu::load<lane(Q, 2)>(value);
  vfpu::load<lane(Q, 3)>(value);
}

// --- SwiGLU ---

/// Numbers whose exponentials are kept at a time.
constexpr std::uint32_t swiglu_block = 64;
/// e^±x and 1 / (1 + e^±x) are normal numbers up to here.
constexpr float largest_vector_exponent = 87.0F;

/// out = -x
void negate(const float* x, std::uint32_t n, float* out) noexcept {
  constexpr Quad zeros = column(0, 0);
  constexpr Quad value = column(0, 1);
  vfpu::zero<zeros>();
  for (std::uint32_t i = 0; i < n; i += 4) {
    vfpu::load<value>(x + i);
    vfpu::subtract<value, zeros, value>();
    vfpu::store<value>(out + i);
  }
}

/// x = 1 / (1 + x)
void invert_one_plus(float* x, std::uint32_t n) noexcept {
  constexpr Quad ones = column(0, 0);
  constexpr Quad first = column(0, 1);
  constexpr Quad second = column(0, 2);
  vfpu::set<lane(ones, 0), 1>();
  vfpu::set<lane(ones, 1), 1>();
  vfpu::set<lane(ones, 2), 1>();
  vfpu::set<lane(ones, 3), 1>();
  for (std::uint32_t i = 0; i < n; i += 8) {
    vfpu::load<first, 0>(x + i);
    vfpu::load<second, 16>(x + i);
    vfpu::add<first, first, ones>();
    vfpu::add<second, second, ones>();
    vfpu::divide<first, ones, first>();
    vfpu::divide<second, ones, second>();
    vfpu::store<first, 0>(x + i);
    vfpu::store<second, 16>(x + i);
  }
}

/// gate = (gate * sigmoid) * up on the scalar unit, which keeps subnormal products.
void multiply_gates(float* gate, const float* sigmoid, const float* up, std::uint32_t n) noexcept {
  for (std::uint32_t i = 0; i < n; i += 4) {
    const float up_0 = up[i];
    const float up_1 = up[i + 1];
    const float up_2 = up[i + 2];
    const float up_3 = up[i + 3];
    const float gated_0 = gate[i] * sigmoid[i];
    const float gated_1 = gate[i + 1] * sigmoid[i + 1];
    const float gated_2 = gate[i + 2] * sigmoid[i + 2];
    const float gated_3 = gate[i + 3] * sigmoid[i + 3];
    gate[i] = gated_0 * up_0;
    gate[i + 1] = gated_1 * up_1;
    gate[i + 2] = gated_2 * up_2;
    gate[i + 3] = gated_3 * up_3;
  }
}

// --- softmax ---

/// e^-x and its quotient by a sum of at most 2^20 ones are normal numbers up to here.
constexpr float largest_softmax_range = 70.0F;

float largest_of(const float* x, std::uint32_t n) noexcept {
  return x[argmax_vfpu(x, n)];
}

/// x[i] -= value, four at a time.
void subtract_from_all(float* x, std::uint32_t n, const float* value) noexcept {
  constexpr Quad subtrahend = column(0, 0);
  constexpr Quad first = column(0, 1);
  set_all<subtrahend>(value);
  for (std::uint32_t i = 0; i < n; i += 4) {
    vfpu::load<first>(x + i);
    vfpu::subtract<first, first, subtrahend>();
    vfpu::store<first>(x + i);
  }
}

void divide_all(float* x, std::uint32_t n, const float* divisor) noexcept {
  constexpr Quad divisors = column(0, 0);
  constexpr Quad first = column(0, 1);
  set_all<divisors>(divisor);
  for (std::uint32_t i = 0; i < n; i += 4) {
    vfpu::load<first>(x + i);
    vfpu::divide<first, first, divisors>();
    vfpu::store<first>(x + i);
  }
}

// --- RMSNorm ---

constexpr Quad squares(std::uint32_t index) noexcept {
  return column(0, index);
}
constexpr vfpu::Single sum = lane(column(1, 0), 0);

template <std::uint32_t Index>
[[gnu::always_inline]] inline void square_next(const float* x) noexcept {
  vfpu::load<squares(Index), static_cast<int>(Index * 16)>(x);
}

template <std::uint32_t Index>
[[gnu::always_inline]] inline void add_squares() noexcept {
  vfpu::add<sum, sum, lane(squares(Index), 0)>();
  vfpu::add<sum, sum, lane(squares(Index), 1)>();
  vfpu::add<sum, sum, lane(squares(Index), 2)>();
  vfpu::add<sum, sum, lane(squares(Index), 3)>();
}

/// Sum of x[i]^2 in order of i. n: a multiple of 8.
float sum_of_squares(const float* x, std::uint32_t n) noexcept {
  vfpu::zero<column(1, 0)>();
  for (; n > 0; n -= 8, x += 8) {
    square_next<0>(x);
    square_next<1>(x);
    vfpu::multiply<squares(0), squares(0), squares(0)>();
    vfpu::multiply<squares(1), squares(1), squares(1)>();
    add_squares<0>();
    add_squares<1>();
  }
  float result = 0.0F;
  vfpu::store<sum>(&result);
  return result;
}

/// out[i] = weight[i] * (factor * x[i]). n: a multiple of 8.
void scale_and_weigh(float* out, const float* x, const float* weight, std::uint32_t n,
                     const float* factor) noexcept {
  constexpr vfpu::Single factor_register = lane(column(1, 0), 0);
  vfpu::load<factor_register>(factor);
  for (; n > 0; n -= 8) {
    vfpu::load<column(0, 0), 0>(x);
    vfpu::load<column(0, 1), 16>(x);
    vfpu::load<column(0, 2), 0>(weight);
    vfpu::load<column(0, 3), 16>(weight);
    x += 8;
    weight += 8;
    vfpu::scale<column(0, 0), column(0, 0), factor_register>();
    vfpu::scale<column(0, 1), column(0, 1), factor_register>();
    vfpu::multiply<column(0, 0), column(0, 2), column(0, 0)>();
    vfpu::multiply<column(0, 1), column(0, 3), column(0, 1)>();
    vfpu::store<column(0, 0), 0>(out);
    vfpu::store<column(0, 1), 16>(out);
    out += 8;
  }
}

}  // namespace

void swiglu_vfpu(float* gate, const float* up, std::uint32_t n) noexcept {
  alignas(16) float sigmoid[swiglu_block];
  while (n > 0) {
    const std::uint32_t count = std::min(n, swiglu_block);
    if (count % 8 == 0 && is_aligned(gate) && all_below(gate, count, largest_vector_exponent)) {
      negate(gate, count, sigmoid);
      exact_exp_many(sigmoid, sigmoid, count);
      invert_one_plus(sigmoid, count);
      multiply_gates(gate, sigmoid, up, count);
    } else {
      reference::swiglu(gate, up, count);
    }
    gate += count;
    up += count;
    n -= count;
  }
}

void softmax_vfpu(float* x, std::uint32_t n) noexcept {
  const std::uint32_t whole = n / 4 * 4;
  if (whole == 0 || !is_aligned(x)) return reference::softmax(x, n);
  const float largest = largest_of(x, n);
  subtract_from_all(x, whole, &largest);
  for (std::uint32_t i = whole; i < n; ++i) x[i] -= largest;
  bool is_normal = all_below(x, whole, largest_softmax_range);
  for (std::uint32_t i = whole; i < n; ++i) is_normal = is_normal && x[i] > -largest_softmax_range;
  exact_exp_many(x, x, n);
  float sum_of_all = 0.0F;
  for (std::uint32_t i = 0; i < n; ++i) sum_of_all += x[i];
  const std::uint32_t divided = is_normal ? whole : 0;
  divide_all(x, divided, &sum_of_all);
  for (std::uint32_t i = divided; i < n; ++i) x[i] /= sum_of_all;
}

void rmsnorm_vfpu(float* out, const float* x, const float* weight, std::uint32_t n, float epsilon) noexcept {
  if (n % 8 != 0 || !is_aligned(out) || !is_aligned(x) || !is_aligned(weight)) {
    return reference::rmsnorm(out, x, weight, n, epsilon);
  }
  const float mean = sum_of_squares(x, n) / static_cast<float>(static_cast<std::int32_t>(n)) + epsilon;
  const float factor = 1.0F / __builtin_sqrtf(mean);
  scale_and_weigh(out, x, weight, n, &factor);
}

}  // namespace pspllm::psp
