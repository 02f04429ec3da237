#pragma once

#include <cstddef>

// Elementary functions that give the bits of glibc 2.36's x86-64 FMA variants (expf, powf, sinf, cosf), with
// which the reference's text was made, on any processor: integers only, no libm, no double. The whole domain
// is covered: NaNs (x86's rules: a NaN argument comes back quiet, an invalid operation gives the negative
// quiet NaN), infinities, subnormals, huge arguments. errno and exception flags are not touched.
//
// Algorithms: those of Arm Optimized Routines, as compiled for glibc (where multiplications and additions
// were fused was read from the machine code of __expf_fma, __powf_fma, __sinf_fma and __cosf_fma).
namespace pspllm {

// e^x.
[[nodiscard]] float exact_exp(float x) noexcept;

// out[i] = e^in[i]. in, out: [count]; out may be in.
void exact_exp_many(const float* in, float* out, std::size_t count) noexcept;

// x^y.
[[nodiscard]] float exact_pow(float x, float y) noexcept;

// Sine of x radians.
[[nodiscard]] float exact_sin(float x) noexcept;

// Cosine of x radians.
[[nodiscard]] float exact_cos(float x) noexcept;

}  // namespace pspllm
