// 4 lanes of any x86-64: weights are widened to 16 bits and pmaddwd multiplies 2 columns of 4 rows by 2
// activations.
#include <emmintrin.h>

#include "engine/ops/host/kernel_sets.hpp"
#include "engine/ops/host/kernel_table.hpp"

namespace pspllm::host {
namespace {

struct Sse2 {
  static constexpr const char* name = "q80 4x2 sse2";
  static constexpr std::uint32_t lanes = 4;
  static constexpr std::uint32_t token_tile = 4;
  static constexpr std::uint32_t f32_tile = 3;
  static constexpr std::uint32_t attending_tokens = 2;
  static constexpr PackedFormat format{.lanes = lanes, .columns_per_step = 2, .value_flip = 0};
  using Activation = std::int16_t;
  using WeightStep = __m128i;

  static WeightStep load_weights(const std::byte* from) noexcept {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
    return _mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8);
  }
  static Ints<lanes> multiply_add(Ints<lanes> sum, WeightStep weights, std::int32_t activations) noexcept {
    return sum + reinterpret_cast<Ints<lanes>>(_mm_madd_epi16(weights, _mm_set1_epi32(activations)));
  }
  static Ints<lanes> add_pair_products(Ints<lanes> sum, Vector<std::int16_t, 8> a,
                                       Vector<std::int16_t, 8> b) noexcept {
    return sum + reinterpret_cast<Ints<lanes>>(
                     _mm_madd_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
  }
};

}  // namespace

const Kernels& sse2_kernels() noexcept {
  return KernelsOf<Sse2>::table;
}

}  // namespace pspllm::host
