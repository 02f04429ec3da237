#pragma once

#include <array>
#include <cstdint>

// The constants of glibc 2.36's expf, powf, sinf and cosf, as the bits of doubles.
//
// Source: Arm Optimized Routines (github.com/ARM-software/optimized-routines; math/exp2f_data.c,
// math/powf_log2_data.c, math/sincosf_data.c, math/sincosf.h; Copyright Arm Limited; MIT OR Apache-2.0 WITH
// LLVM-exception), from which glibc took these functions. Compared bit for bit with the data that
// glibc 2.36's libm.so.6 holds on x86-64.
namespace pspllm::glibc {

// 2^(k / 32) times a cubic in the remainder.
constexpr std::uint32_t exp2_table_bits = 5;
constexpr std::uint32_t exp2_table_size = 1U << exp2_table_bits;

// 2^(i / 32) as a double.
constexpr std::array<std::uint64_t, exp2_table_size> exp2_table{
    0x3ff0000000000000, 0x3ff059b0d3158574, 0x3ff0b5586cf9890f, 0x3ff11301d0125b51,  //
    0x3ff172b83c7d517b, 0x3ff1d4873168b9aa, 0x3ff2387a6e756238, 0x3ff29e9df51fdee1,  //
    0x3ff306fe0a31b715, 0x3ff371a7373aa9cb, 0x3ff3dea64c123422, 0x3ff44e086061892d,  //
    0x3ff4bfdad5362a27, 0x3ff5342b569d4f82, 0x3ff5ab07dd485429, 0x3ff6247eb03a5585,  //
    0x3ff6a09e667f3bcd, 0x3ff71f75e8ec5f74, 0x3ff7a11473eb0187, 0x3ff82589994cce13,  //
    0x3ff8ace5422aa0db, 0x3ff93737b0cdc5e5, 0x3ff9c49182a3f090, 0x3ffa5503b23e255d,  //
    0x3ffae89f995ad3ad, 0x3ffb7f76f2fb5e47, 0x3ffc199bdd85529c, 0x3ffcb720dcef9069,  //
    0x3ffd5818dcfba487, 0x3ffdfc97337b9b5f, 0x3ffea4afa2a490da, 0x3fff50765b6e4540};

// The cubic 1 + linear r + quadratic r^2 + cubic r^3 near 2^r, for r in the unit named.
struct Exp2Polynomial {
  std::uint64_t cubic;
  std::uint64_t quadratic;
  std::uint64_t linear;
};
// r counts 1: powf.
constexpr Exp2Polynomial exp2_polynomial{
    .cubic = 0x3fac6af84b912394, .quadratic = 0x3fcebfce50fac4f3, .linear = 0x3fe62e42ff0c52d6};
// r counts 1 / 32: expf.
constexpr Exp2Polynomial exp2_polynomial_scaled{
    .cubic = 0x3ebc6af84b912394, .quadratic = 0x3f2ebfce50fac4f3, .linear = 0x3f962e42ff0c52d6};

// 32 / ln 2.
constexpr std::uint64_t exp_inverse_ln2_scaled = 0x40471547652b82fe;
// 1.5 * 2^52 and 1.5 * 2^47: adding one rounds a double to a multiple of 1 or of 1 / 32.
constexpr std::uint64_t round_to_integer_shift = 0x4338000000000000;
constexpr std::uint64_t round_to_32nd_shift = 0x42e8000000000000;

// expf answers infinity above the first, zero below the second and the smallest subnormal below the third
// (the bits of singles: log 2^128, log 2^-150, log 2^-149).
constexpr std::uint32_t exp_overflow_above = 0x42b17217;
constexpr std::uint32_t exp_zero_below = 0xc2cff1b4;
constexpr std::uint32_t exp_smallest_below = 0xc2ce8ecf;

// log2 of the significand: 16 intervals, each with 1 / centre and log2(centre), then a quintic.
constexpr std::uint32_t log2_table_bits = 4;
constexpr std::uint32_t log2_table_size = 1U << log2_table_bits;
// The bits of the single at which the intervals begin.
constexpr std::uint32_t log2_first_interval = 0x3f330000;

struct Log2Interval {
  std::uint64_t inverse_centre;
  std::uint64_t log2_centre;
};
constexpr std::array<Log2Interval, log2_table_size> log2_table{{
    {.inverse_centre = 0x3ff661ec79f8f3be, .log2_centre = 0xbfdefec65b963019},
    {.inverse_centre = 0x3ff571ed4aaf883d, .log2_centre = 0xbfdb0b6832d4fca4},
    {.inverse_centre = 0x3ff49539f0f010b0, .log2_centre = 0xbfd7418b0a1fb77b},
    {.inverse_centre = 0x3ff3c995b0b80385, .log2_centre = 0xbfd39de91a6dcf7b},
    {.inverse_centre = 0x3ff30d190c8864a5, .log2_centre = 0xbfd01d9bf3f2b631},
    {.inverse_centre = 0x3ff25e227b0b8ea0, .log2_centre = 0xbfc97c1d1b3b7af0},
    {.inverse_centre = 0x3ff1bb4a4a1a343f, .log2_centre = 0xbfc2f9e393af3c9f},
    {.inverse_centre = 0x3ff12358f08ae5ba, .log2_centre = 0xbfb960cbbf788d5c},
    {.inverse_centre = 0x3ff0953f419900a7, .log2_centre = 0xbfaa6f9db6475fce},
    {.inverse_centre = 0x3ff0000000000000, .log2_centre = 0x0000000000000000},
    {.inverse_centre = 0x3fee608cfd9a47ac, .log2_centre = 0x3fb338ca9f24f53d},
    {.inverse_centre = 0x3feca4b31f026aa0, .log2_centre = 0x3fc476a9543891ba},
    {.inverse_centre = 0x3feb2036576afce6, .log2_centre = 0x3fce840b4ac4e4d2},
    {.inverse_centre = 0x3fe9c2d163a1aa2d, .log2_centre = 0x3fd40645f0c6651c},
    {.inverse_centre = 0x3fe886e6037841ed, .log2_centre = 0x3fd88e9c2c1b9ff8},
    {.inverse_centre = 0x3fe767dcf5534862, .log2_centre = 0x3fdce0a44eb17bcc},
}};

// Coefficients of r^5, r^4, r^3, r^2 and r.
constexpr std::array<std::uint64_t, 5> log2_polynomial{
    0x3fd27616c9496e0b, 0xbfd71969a075c67a, 0x3fdec70a6ca7badd, 0xbfe7154748bef6c8, 0x3ff71547652ab82b};

// powf answers infinity where y log2(x) is above the first, zero where it is not above the second and the
// smallest subnormal where it is below the third.
constexpr std::uint64_t pow_overflow_above = 0x405fffffffd1d571;  // log2 of the end of the singles' range
constexpr std::uint64_t pow_zero_up_to = 0xc062c00000000000;      // -150
constexpr std::uint64_t pow_smallest_below = 0xc062a00000000000;  // -149

// Range reduction of sinf and cosf.
constexpr std::uint64_t two_over_pi_scaled = 0x41645f306dc9c883;  // 2 / pi * 2^24
constexpr std::uint64_t pi_over_two = 0x3ff921fb54442d18;         // pi / 2
constexpr std::uint64_t pi_over_two_scaled = 0x3c1921fb54442d18;  // pi / 2 * 2^-62
constexpr std::uint64_t one = 0x3ff0000000000000;
constexpr std::uint64_t minus_one = 0xbff0000000000000;

// Sine: x + s1 x^3 + s2 x^5 + s3 x^7.
constexpr std::array<std::uint64_t, 3> sine_polynomial{0xbfc555545995a603, 0x3f81107605230bc4,
                                                       0xbf2994eb3774cf24};
// Cosine: 1 + c1 x^2 + c2 x^4 + c3 x^6 + c4 x^8.
constexpr std::array<std::uint64_t, 4> cosine_polynomial{0xbfdffffffd0c621c, 0x3fa55553e1068f19,
                                                         0xbf56c087e89a359d, 0x3ef99343027bf8c3};

// 4 / pi to 192 bits; entry i holds its bits from 8 i - 24 on.
constexpr std::array<std::uint32_t, 24> four_over_pi{
    0x000000a2, 0x0000a2f9, 0x00a2f983, 0xa2f9836e, 0xf9836e4e, 0x836e4e44, 0x6e4e4415, 0x4e441529,
    0x441529fc, 0x1529fc27, 0x29fc2757, 0xfc2757d1, 0x2757d1f5, 0x57d1f534, 0xd1f534dd, 0xf534ddc0,
    0x34ddc0db, 0xddc0db62, 0xc0db6295, 0xdb629599, 0x6295993c, 0x95993c43, 0x993c4390, 0x3c439041};

// Branch points of sinf and cosf, as magnitude_top_bits() of the argument's bits.
constexpr std::uint32_t tiny_angle_below = 0x398;       // 2^-12
constexpr std::uint32_t unreduced_angle_below = 0x3f4;  // pi / 4
constexpr std::uint32_t fast_reduction_below = 0x42f;   // 120
constexpr std::uint32_t infinite_or_nan_from = 0x7f8;
// Branch point of expf: 88.
constexpr std::uint32_t exp_special_from = 0x42b;

}  // namespace pspllm::glibc
