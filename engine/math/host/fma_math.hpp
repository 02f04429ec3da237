#pragma once

#include <cstddef>

// The exact functions on hardware doubles. Only for processors that fuse multiplication and addition: x86-64
// with FMA, aarch64.
namespace pspllm::host {

[[nodiscard]] float fma_exp(float x) noexcept;
[[nodiscard]] float fma_pow(float x, float y) noexcept;
[[nodiscard]] float fma_sin(float x) noexcept;
[[nodiscard]] float fma_cos(float x) noexcept;

}  // namespace pspllm::host
