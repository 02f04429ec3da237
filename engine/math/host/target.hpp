#pragma once

// Functions compiled for more than the baseline processor, one by one: with a whole file compiled so, the
// linker might take such a file's copy of a shared inline function for everyone.
#if defined(__x86_64__)
#define PSPLLM_TARGET_FMA [[gnu::target("avx,fma")]]
#define PSPLLM_TARGET_AVX2 [[gnu::target("avx2,fma")]]
#define PSPLLM_TARGET_AVX512 [[gnu::target("avx512f,avx2,fma")]]
#else
#define PSPLLM_TARGET_FMA
#endif
