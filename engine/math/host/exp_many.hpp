#pragma once

#include <cstddef>

// e^x for vectors, one function an instruction set. in, out: [count]; out may be in.
namespace pspllm::host {

void exp_many_fma(const float* in, float* out, std::size_t count) noexcept;
void exp_many_avx2(const float* in, float* out, std::size_t count) noexcept;
void exp_many_avx512(const float* in, float* out, std::size_t count) noexcept;

}  // namespace pspllm::host
