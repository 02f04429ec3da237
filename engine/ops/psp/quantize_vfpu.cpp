#include "engine/core/checked.hpp"
#include "engine/core/limits.hpp"
#include "engine/math/rounding.hpp"
#include "engine/ops/psp/vfpu.hpp"
#include "engine/ops/psp/vfpu_kernels.hpp"

namespace pspllm::psp {

std::size_t quantized_bytes_f32(std::uint32_t cols, std::uint32_t group_size) noexcept {
  return static_cast<std::size_t>(align_up(cols * sizeof(float), block_alignment) +
                                  align_up(cols / group_size * sizeof(float), block_alignment));
}

FloatActivations token_of(const QuantizedActivations& activations, std::uint32_t token) noexcept {
  std::byte* const start =
      activations.data + token * quantized_bytes_f32(activations.cols, activations.group_size);
  return {reinterpret_cast<float*>(start),
          reinterpret_cast<float*>(start + align_up(activations.cols * sizeof(float), block_alignment))};
}

namespace {

using vfpu::column;
using vfpu::Quad;

constexpr float largest_quantized = 127.0F;
/// Below it a quotient or product could meet subnormal numbers, which the VFPU takes as zero.
constexpr float smallest_vector_scale = 1e-30F;
constexpr float largest_vector_scale = 1e30F;

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

float largest_magnitude(const float* x, std::uint32_t n) noexcept {
  constexpr Quad largest = column(0, 0);
  constexpr Quad current = column(0, 1);
  vfpu::zero<largest>();
  for (std::uint32_t i = 0; i < n; i += 4) {
    vfpu::load<current>(x + i);
    vfpu::absolute<current, current>();
    vfpu::maximum<largest, largest, current>();
  }
  alignas(16) float lanes[4];
  vfpu::store<largest>(lanes);
  // An infinity or a NaN stays one in the sum, and sends the group to the scalar path.
  const float sum = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
  if (!(sum - sum == 0.0F)) return sum;
  return largest_magnitude_scalar(lanes, 4);
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

}  // namespace

void quantize_vfpu(const float* x, const QuantizedActivations& out) noexcept {
  const std::uint32_t group_size = out.group_size;
  const bool vector_sized = group_size % 4 == 0;
  for (std::uint32_t token = 0; token < out.n_tokens; ++token) {
    const FloatActivations quantized = token_of(out, token);
    float* values = quantized.values;
    for (std::uint32_t group = 0; group < out.cols / group_size; ++group) {
      float& scale = quantized.scales[group];
      scale = (vector_sized ? largest_magnitude(x, group_size) : largest_magnitude_scalar(x, group_size)) /
              largest_quantized;
      if (vector_sized && scale > smallest_vector_scale && scale < largest_vector_scale) {
        quantize_group_vector(x, group_size, &scale, values);
      } else {
        scale = largest_magnitude_scalar(x, group_size) / largest_quantized;
        quantize_group_scalar(x, group_size, scale, values);
      }
      x += group_size;
      values += group_size;
    }
  }
}

}  // namespace pspllm::psp
