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

constexpr std::size_t block_size = 8;

PSPLLM_TARGET_AVX2 __m256d broadcast(std::uint64_t bits) noexcept {
  return _mm256_set1_pd(std::bit_cast<double>(bits));
}

// e^x of four singles with |x| < 88; any other lane gives rubbish.
PSPLLM_TARGET_AVX2 __m128 exp_of_four(__m128 x) noexcept {
  const __m256d wide = _mm256_cvtps_pd(x);
  const __m256d scale_to_k = broadcast(glibc::exp_inverse_ln2_scaled);
  const __m256d shift = broadcast(glibc::round_to_integer_shift);
  const __m256d shifted = _mm256_fmadd_pd(scale_to_k, wide, shift);
  const __m256d remainder = _mm256_fmsub_pd(scale_to_k, wide, _mm256_sub_pd(shifted, shift));

  const __m256i k = _mm256_castpd_si256(shifted);
  const __m256i index = _mm256_and_si256(k, _mm256_set1_epi64x(glibc::exp2_table_size - 1));
  const auto* table = reinterpret_cast<const long long*>(glibc::exp2_table.data());
  const __m256i exponent = _mm256_slli_epi64(_mm256_srli_epi64(k, glibc::exp2_table_bits), 52);
  const __m256d scale =
      _mm256_castsi256_pd(_mm256_add_epi64(_mm256_i64gather_epi64(table, index, 8), exponent));

  constexpr const auto& polynomial = glibc::exp2_polynomial_scaled;
  const __m256d high =
      _mm256_fmadd_pd(broadcast(polynomial.cubic), remainder, broadcast(polynomial.quadratic));
  const __m256d square = _mm256_mul_pd(remainder, remainder);
  const __m256d low = _mm256_fmadd_pd(remainder, broadcast(polynomial.linear), broadcast(glibc::one));
  return _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_fmadd_pd(high, square, low), scale));
}

// A bit for each lane with |x| >= 88 or a NaN.
PSPLLM_TARGET_AVX2 int special_lanes(__m256 x) noexcept {
  const __m256i top = _mm256_srli_epi32(_mm256_slli_epi32(_mm256_castps_si256(x), 1), 21);
  const __m256i last_ordinary = _mm256_set1_epi32(static_cast<int>(glibc::exp_special_from) - 1);
  return _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(top, last_ordinary)));
}

PSPLLM_TARGET_AVX2 void exp_of_block(const float* in, float* out) noexcept {
  const __m256 x = _mm256_loadu_ps(in);
  const __m128 low = exp_of_four(_mm256_castps256_ps128(x));
  const __m128 high = exp_of_four(_mm256_extractf128_ps(x, 1));
  _mm256_storeu_ps(out, _mm256_set_m128(high, low));
  int special = special_lanes(x);
  if (special == 0) [[likely]] {
    return;
  }
  alignas(32) std::array<float, block_size> lanes;
  _mm256_store_ps(lanes.data(), x);
  for (std::size_t lane = 0; lane < block_size; ++lane, special >>= 1) {
    if ((special & 1) != 0) {
      out[lane] = fma_exp(lanes[lane]);
    }
  }
}

}  // namespace

PSPLLM_TARGET_AVX2 void exp_many_avx2(const float* in, float* out, std::size_t count) noexcept {
  std::size_t i = 0;
  for (; i + block_size <= count; i += block_size) {
    exp_of_block(in + i, out + i);
  }
  for (; i < count; ++i) {
    out[i] = fma_exp(in[i]);
  }
}

}  // namespace pspllm::host

#endif
