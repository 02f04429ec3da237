// 4 lanes of any 64-bit ARM: smull multiplies 4 columns of 4 rows by 4 activations; a product of two int8
// fits 16 bits, -128 times -128 too.
#include <arm_neon.h>

#include "engine/ops/host/kernel_sets.hpp"
#include "engine/ops/host/kernel_table.hpp"

namespace pspllm::host {
namespace {

struct Neon {
  static constexpr const char* name = "q80 4x4 neon";
  static constexpr std::uint32_t lanes = 4;
  static constexpr std::uint32_t token_tile = 4;
  static constexpr std::uint32_t f32_tile = 4;
  static constexpr std::uint32_t attending_tokens = 4;
  static constexpr PackedFormat format{.lanes = lanes, .columns_per_step = 4, .value_flip = 0};
  using Activation = std::int8_t;
  using WeightStep = int8x16_t;

  static WeightStep load_weights(const std::byte* from) noexcept {
    return vld1q_s8(reinterpret_cast<const std::int8_t*>(from));
  }
  static Ints<lanes> multiply_add(Ints<lanes> sum, WeightStep weights, std::int32_t activations) noexcept {
    const int8x16_t x = vreinterpretq_s8_s32(vdupq_n_s32(activations));
    const int32x4_t first_rows = vpaddlq_s16(vmull_s8(vget_low_s8(weights), vget_low_s8(x)));
    const int32x4_t last_rows = vpaddlq_s16(vmull_high_s8(weights, x));
    return sum + vpaddq_s32(first_rows, last_rows);
  }
  static int16x8_t load_pairs(const std::byte* from) noexcept {
    return vmovl_s8(vld1_s8(reinterpret_cast<const std::int8_t*>(from)));
  }
  static Ints<lanes> multiply_add_pairs(Ints<lanes> sum, int16x8_t pairs, std::int32_t weights) noexcept {
    const int16x8_t w = vreinterpretq_s16_s32(vdupq_n_s32(weights));
    return sum + vpaddq_s32(vmull_s16(vget_low_s16(pairs), vget_low_s16(w)), vmull_high_s16(pairs, w));
  }
  static Ints<lanes> add_pair_products(Ints<lanes> sum, Vector<std::int16_t, 8> a,
                                       Vector<std::int16_t, 8> b) noexcept {
    const int16x8_t x = reinterpret_cast<int16x8_t>(a);
    const int16x8_t w = reinterpret_cast<int16x8_t>(b);
    return sum + vpaddq_s32(vmull_s16(vget_low_s16(x), vget_low_s16(w)), vmull_high_s16(x, w));
  }
};

}  // namespace

const Kernels& neon_kernels() noexcept {
  return KernelsOf<Neon>::table;
}

}  // namespace pspllm::host
