#pragma once

#include <cstdint>

#include "engine/math/glibc_constants.hpp"
#include "engine/math/soft_double.hpp"

namespace pspllm {

// 2^(k / 32 + remainder) as a double, in the order of glibc's expf and powf; the polynomial says in which
// unit the remainder counts.
[[nodiscard]] SoftDouble exp2_scaled(std::int32_t k, const SoftDouble& remainder,
                                     const glibc::Exp2Polynomial& polynomial) noexcept;

}  // namespace pspllm
