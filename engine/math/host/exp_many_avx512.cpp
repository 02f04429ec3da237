#if defined(__x86_64__)

#include <immintrin.h>

#include <array>
#include <bit>
#include <cstdint>

#include "engine/math/glibc_constants.hpp"
#include "engine/math/host/exp_many.hpp"
#include "engine/math/host/fma_math.hpp"
#include "engine/math/host/target.hpp"

namespace pspllm::host {
namespace {

constexpr std::size_t block_size = 16;
constexpr std::size_t double_lanes = 8;

// The 32 entries of 2^(i / 32) in four registers.
struct Exp2Registers {
  __m512d first;
  __m512d second;
  __m512d third;
  __m512d fourth;
};

PSPLLM_TARGET_AVX512 Exp2Registers load_exp2_table() noexcept {
  const auto* table = glibc::exp2_table.data();
  return {.first = _mm512_castsi512_pd(_mm512_loadu_si512(table)),
          .second = _mm512_castsi512_pd(_mm512_loadu_si512(table + double_lanes)),
          .third = _mm512_castsi512_pd(_mm512_loadu_si512(table + 2 * double_lanes)),
          .fourth = _mm512_castsi512_pd(_mm512_loadu_si512(table + 3 * double_lanes))};
}

PSPLLM_TARGET_AVX512 __m512d broadcast(std::uint64_t bits) noexcept {
  return _mm512_set1_pd(std::bit_cast<double>(bits));
}

// e^x of eight singles with |x| < 88; any other lane gives rubbish.
PSPLLM_TARGET_AVX512 __m256 exp_of_eight(__m256 x, const Exp2Registers& table) noexcept {
  const __m512d wide = _mm512_cvtps_pd(x);
  const __m512d scale_to_k = broadcast(glibc::exp_inverse_ln2_scaled);
  const __m512d shift = broadcast(glibc::round_to_integer_shift);
  const __m512d shifted = _mm512_fmadd_pd(scale_to_k, wide, shift);
  const __m512d remainder = _mm512_fmsub_pd(scale_to_k, wide, _mm512_sub_pd(shifted, shift));

  // The permutations look at the low four bits of k; the fifth chooses between their results.
  const __m512i k = _mm512_castpd_si512(shifted);
  const __mmask8 upper_half = _mm512_test_epi64_mask(k, _mm512_set1_epi64(glibc::exp2_table_size / 2));
  const __m512d lower = _mm512_permutex2var_pd(table.first, k, table.second);
  const __m512d upper = _mm512_permutex2var_pd(table.third, k, table.fourth);
  const __m512i entry = _mm512_castpd_si512(_mm512_mask_blend_pd(upper_half, lower, upper));
  const __m512i exponent = _mm512_slli_epi64(_mm512_srli_epi64(k, glibc::exp2_table_bits), 52);
  const __m512d scale = _mm512_castsi512_pd(_mm512_add_epi64(entry, exponent));

  constexpr const auto& polynomial = glibc::exp2_polynomial_scaled;
  const __m512d high =
      _mm512_fmadd_pd(broadcast(polynomial.cubic), remainder, broadcast(polynomial.quadratic));
  const __m512d square = _mm512_mul_pd(remainder, remainder);
  const __m512d low = _mm512_fmadd_pd(remainder, broadcast(polynomial.linear), broadcast(glibc::one));
  return _mm512_cvtpd_ps(_mm512_mul_pd(_mm512_fmadd_pd(high, square, low), scale));
}

// A bit for each lane with |x| >= 88 or a NaN.
PSPLLM_TARGET_AVX512 std::uint32_t special_lanes(__m512 x) noexcept {
  const __m512i top = _mm512_srli_epi32(_mm512_slli_epi32(_mm512_castps_si512(x), 1), 21);
  return _mm512_cmpge_epi32_mask(top, _mm512_set1_epi32(static_cast<int>(glibc::exp_special_from)));
}

PSPLLM_TARGET_AVX512 void exp_of_block(const float* in, float* out, __mmask16 wanted,
                                       const Exp2Registers& table) noexcept {
  const __m512 x = _mm512_maskz_loadu_ps(wanted, in);
  const __m256 upper_half = _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(x), 1));
  const __m256 low = exp_of_eight(_mm512_castps512_ps256(x), table);
  const __m256 high = exp_of_eight(upper_half, table);
  const __m512 both = _mm512_castpd_ps(
      _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_castps_pd(low)), _mm256_castps_pd(high), 1));
  _mm512_mask_storeu_ps(out, wanted, both);
  std::uint32_t special = special_lanes(x);
  if (special == 0) [[likely]] {
    return;
  }
  alignas(64) std::array<float, block_size> lanes;
  _mm512_store_ps(lanes.data(), x);
  for (std::size_t lane = 0; lane < block_size; ++lane, special >>= 1) {
    if ((special & 1U) != 0) {
      out[lane] = fma_exp(lanes[lane]);
    }
  }
}

}  // namespace

PSPLLM_TARGET_AVX512 void exp_many_avx512(const float* in, float* out, std::size_t count) noexcept {
  const Exp2Registers table = load_exp2_table();
  std::size_t i = 0;
  for (; i + block_size <= count; i += block_size) {
    exp_of_block(in + i, out + i, 0xffff, table);
  }
  if (i < count) {
    exp_of_block(in + i, out + i, static_cast<__mmask16>((1U << (count - i)) - 1U), table);
  }
}

}  // namespace pspllm::host

#endif
