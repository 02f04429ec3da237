#include <algorithm>
#include <bit>
#include <utility>

#include "engine/core/checked.hpp"
#include "engine/core/limits.hpp"
#include "engine/math/rounding.hpp"
#include "engine/ops/psp/largest_magnitude.hpp"
#include "engine/ops/psp/vfpu.hpp"
#include "engine/ops/psp/vfpu_kernels.hpp"
#include "engine/ops/reference/reference.hpp"
#include "engine/ops/rounding_by_reciprocal.hpp"

namespace pspllm::psp {

std::size_t quantized_bytes_f32(std::uint32_t cols, std::uint32_t group_size) noexcept {
  const FloatActivations layout{nullptr, 1, cols / group_size, group_size};
  return static_cast<std::size_t>(
      align_up(std::uint64_t{layout.groups} * layout.record_floats() * sizeof(float), block_alignment));
}

namespace {

using vfpu::column;
using vfpu::lane;
using vfpu::Quad;

/// As bits. Beyond them a quotient or product could meet subnormal numbers, which the VFPU takes as zero.
constexpr auto smallest_vector_scale = std::bit_cast<std::uint32_t>(smallest_reciprocal_scale);
constexpr auto largest_vector_scale = std::bit_cast<std::uint32_t>(largest_reciprocal_scale);

/// The reference's steps, one number at a time.
void quantize_group_scalar(const float* x, std::uint32_t n, float scale, float* values) noexcept {
  for (std::uint32_t i = 0; i < n; ++i) {
    const float quotient = x[i] / scale;
    const bool finite = quotient - quotient == 0.0F;
    values[i] = finite ? static_cast<float>(static_cast<std::int8_t>(round_half_away(quotient))) : 0.0F;
  }
}

float largest_magnitude_scalar(const float* x, std::uint32_t n) noexcept {
  float largest = 0.0F;
  for (std::uint32_t i = 0; i < n; ++i) {
    const float magnitude = x[i] < 0.0F ? -x[i] : x[i];
    if (magnitude > largest) largest = magnitude;
  }
  return largest;
}

/// Rounds half away from zero without a branch: the whole part, plus the whole part of twice the (exact)
/// rest.
void quantize_group_vector(const float* x, std::uint32_t n, const float* scale, float* values) noexcept {
  constexpr Quad divisor = column(0, 0);
  constexpr Quad quotient = column(0, 1);
  constexpr Quad whole = column(0, 2);
  constexpr Quad rest = column(0, 3);
  vfpu::load<vfpu::lane(divisor, 0)>(scale);
  vfpu::load<vfpu::lane(divisor, 1)>(scale);
  vfpu::load<vfpu::lane(divisor, 2)>(scale);
  vfpu::load<vfpu::lane(divisor, 3)>(scale);
  for (std::uint32_t i = 0; i < n; i += 4) {
    vfpu::load<quotient>(x + i);
    vfpu::divide<quotient, quotient, divisor>();
    vfpu::to_integer<whole, quotient, 0>();
    vfpu::to_float<whole, whole, 0>();
    vfpu::subtract<rest, quotient, whole>();
    vfpu::to_integer<rest, rest, 1>();
    vfpu::to_float<rest, rest, 0>();
    vfpu::add<whole, whole, rest>();
    vfpu::store<whole>(values + i);
  }
}

constexpr Quad largest_rest = column(0, 1);
constexpr vfpu::Single scale_register = lane(column(0, 2), 0);
constexpr vfpu::Single inverse_register = lane(column(0, 2), 1);
constexpr vfpu::Single constant_register = lane(column(0, 2), 2);

/// Four numbers: rounded to nearest, and how far from it they are.
template <std::uint32_t Index>
struct Rounded {
  static constexpr Quad value = column(1, Index);
  static constexpr Quad whole = column(2, Index);
};

/// Steps of Count quads side by side, so that none waits for its own result.
template <std::uint32_t... Index>
[[gnu::always_inline]] inline void round_quads(std::integer_sequence<std::uint32_t, Index...> /*indices*/,
                                               const float* x, float* values) noexcept {
  (vfpu::load<Rounded<Index>::value, static_cast<int>(Index * 16)>(x), ...);
  (vfpu::scale<Rounded<Index>::value, Rounded<Index>::value, inverse_register>(), ...);
  (vfpu::to_nearest_integer<Rounded<Index>::whole, Rounded<Index>::value, 0>(), ...);
  (vfpu::to_float<Rounded<Index>::whole, Rounded<Index>::whole, 0>(), ...);
  (vfpu::subtract<Rounded<Index>::value, Rounded<Index>::value, Rounded<Index>::whole>(), ...);
  (vfpu::store<Rounded<Index>::whole, static_cast<int>(Index * 16)>(values), ...);
  (vfpu::absolute<Rounded<Index>::value, Rounded<Index>::value>(), ...);
  (vfpu::maximum<largest_rest, largest_rest, Rounded<Index>::value>(), ...);
}

/// Quantises with the reciprocal of the scale instead of divisions. False where a number is too near to the
/// middle between two whole numbers for that; `values` is then to be made again.
[[nodiscard]] bool quantize_group_by_reciprocal(const float* x, std::uint32_t n, float* values) noexcept {
  constexpr std::uint32_t quads_at_once = 4;
  vfpu::set<constant_register, 1>();
  vfpu::divide<inverse_register, constant_register, scale_register>();
  vfpu::zero<largest_rest>();
  for (; n >= 4 * quads_at_once; n -= 4 * quads_at_once) {
    round_quads(std::make_integer_sequence<std::uint32_t, quads_at_once>{}, x, values);
    x += 4 * quads_at_once;
    values += 4 * quads_at_once;
  }
  for (; n > 0; n -= 4) {
    round_quads(std::make_integer_sequence<std::uint32_t, 1>{}, x, values);
    x += 4;
    values += 4;
  }
  spread_maximum<largest_rest>();
  return vfpu::bits_of<lane(largest_rest, 0)>() <= std::bit_cast<std::uint32_t>(furthest_sure_rest);
}

/// scale_register = largest magnitude / 127, stored. Whether the vector paths may be used.
[[nodiscard]] bool find_scale(const float* x, std::uint32_t n, float* scale) noexcept {
  find_largest_magnitude(x, n);
  vfpu::set<constant_register, 127>();
  vfpu::divide<scale_register, lane(column(0, 0), 0), constant_register>();
  vfpu::store<scale_register>(scale);
  const std::uint32_t bits = vfpu::bits_of<scale_register>();
  return bits > smallest_vector_scale && bits < largest_vector_scale;
}

}  // namespace

void quantize_group_vfpu(const float* x, std::uint32_t n, float* scale, float* values) noexcept {
  if (n % 4 == 0 && find_scale(x, n, scale)) {
    if (!quantize_group_by_reciprocal(x, n, values)) quantize_group_vector(x, n, scale, values);
    return;
  }
  *scale = largest_magnitude_scalar(x, n) / largest_quantized;
  quantize_group_scalar(x, n, *scale, values);
}

float quantize_vector_vfpu(const float* x, std::uint32_t n, float* values) noexcept {
  float scale = 0.0F;
  quantize_group_vfpu(x, n, &scale, values);
  if (reference::is_normal(scale)) return scale;
  for (std::uint32_t i = 0; i < n; ++i) values[i] = 0.0F;
  return 0.0F;
}

void quantize_vfpu(const float* x, const QuantizedActivations& out) noexcept {
  const FloatActivations activations = FloatActivations::of(out);
  const std::uint32_t record = activations.record_floats();
  for (std::uint32_t token = 0; token < activations.n_tokens; ++token) {
    const std::uint32_t block_groups = activations.block_groups(
        activations.batch_tokens(token / activations.most_tokens * activations.most_tokens));
    for (std::uint32_t first = 0; first < activations.groups; first += block_groups) {
      float* values = activations.group(token, first);
      const std::uint32_t groups = std::min(block_groups, activations.groups - first);
      for (std::uint32_t group = 0; group < groups; ++group) {
        quantize_group_vfpu(x, activations.group_size, values + activations.group_size, values);
        x += activations.group_size;
        values += record;
      }
    }
  }
}

}  // namespace pspllm::psp
