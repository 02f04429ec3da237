// 16 lanes: vpdpbusd multiplies 4 columns of 16 rows by 4 activations in one instruction. It takes unsigned
// weights, so they are stored 128 larger, and each group starts at -128 times the sum of its activations:
// exact for every int8, -128 included.
#include <immintrin.h>

#include "engine/ops/host/kernel_sets.hpp"
#include "engine/ops/host/kernel_table.hpp"

namespace pspllm::host {
namespace {

struct Avx512Vnni {
  static constexpr const char* name = "q80 16x4 avx512vnni";
  static constexpr std::uint32_t lanes = 16;
  static constexpr std::uint32_t token_tile = 8;
  static constexpr std::uint32_t f32_tile = 4;
  static constexpr std::uint32_t attending_tokens = 4;
  static constexpr PackedFormat format{.lanes = lanes, .columns_per_step = 4, .value_flip = 0x80};
  using Activation = std::int8_t;
  using WeightStep = __m512i;

  static WeightStep load_weights(const std::byte* from) noexcept { return _mm512_loadu_si512(from); }
  static Ints<lanes> multiply_add(Ints<lanes> sum, WeightStep weights, std::int32_t activations) noexcept {
    return reinterpret_cast<Ints<lanes>>(
        _mm512_dpbusd_epi32(reinterpret_cast<__m512i>(sum), weights, _mm512_set1_epi32(activations)));
  }
  static __m512i load_pairs(const std::byte* from) noexcept {
    return _mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  }
  static Ints<lanes> multiply_add_pairs(Ints<lanes> sum, __m512i pairs, std::int32_t weights) noexcept {
    return sum + reinterpret_cast<Ints<lanes>>(_mm512_madd_epi16(pairs, _mm512_set1_epi32(weights)));
  }
  static Ints<4> add_pair_products(Ints<4> sum, Vector<std::int16_t, 8> a,
                                   Vector<std::int16_t, 8> b) noexcept {
    return reinterpret_cast<Ints<4>>(_mm_dpwssd_epi32(
        reinterpret_cast<__m128i>(sum), reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
  }
  static Ints<lanes> add_pair_products(Ints<lanes> sum, Vector<std::int16_t, 32> a,
                                       Vector<std::int16_t, 32> b) noexcept {
    return reinterpret_cast<Ints<lanes>>(_mm512_dpwssd_epi32(
        reinterpret_cast<__m512i>(sum), reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
  }
};

}  // namespace

const Kernels& avx512vnni_kernels() noexcept {
  return KernelsOf<Avx512Vnni>::table;
}

}  // namespace pspllm::host
