#pragma once

namespace pspllm {

// e^x as exact_exp() gives it, for the whole domain, step by step as glibc does it: thirty times slower, for
// the arguments that exact_exp()'s quick way is not sure of.
[[nodiscard, gnu::cold]] float exp_in_doubles(float x) noexcept;

}  // namespace pspllm
