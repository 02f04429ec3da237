// 8 lanes: weights are widened to 16 bits and vpmaddwd multiplies 2 columns of 8 rows by 2 activations:
// exact for every int8, where vpmaddubsw would saturate.
#include <immintrin.h>

#include "engine/ops/host/kernel_sets.hpp"
#include "engine/ops/host/kernel_table.hpp"

namespace pspllm::host {
namespace {

struct Avx2 {
  static constexpr const char* name = "q80 8x2 avx2";
  static constexpr std::uint32_t lanes = 8;
  static constexpr std::uint32_t token_tile = 4;
  static constexpr std::uint32_t f32_tile = 3;
  static constexpr std::uint32_t attending_tokens = 2;
  static constexpr PackedFormat format{.lanes = lanes, .columns_per_step = 2, .value_flip = 0};
  using Activation = std::int16_t;
  using WeightStep = __m256i;

  static WeightStep load_weights(const std::byte* from) noexcept {
    return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
  static Ints<lanes> multiply_add(Ints<lanes> sum, WeightStep weights, std::int32_t activations) noexcept {
    return sum + reinterpret_cast<Ints<lanes>>(_mm256_madd_epi16(weights, _mm256_set1_epi32(activations)));
  }
  static Ints<4> add_pair_products(Ints<4> sum, Vector<std::int16_t, 8> a,
                                   Vector<std::int16_t, 8> b) noexcept {
    return sum + reinterpret_cast<Ints<4>>(
                     _mm_madd_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
  }
  static Ints<lanes> add_pair_products(Ints<lanes> sum, Vector<std::int16_t, 16> a,
                                       Vector<std::int16_t, 16> b) noexcept {
    return sum + reinterpret_cast<Ints<lanes>>(
                     _mm256_madd_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
  }
};

}  // namespace

const Kernels& avx2_kernels() noexcept {
  return KernelsOf<Avx2>::table;
}

}  // namespace pspllm::host
