// The sets of this folder, one a file. Which of them a processor may run: host_kernels.hpp.
#pragma once

#include "engine/ops/kernels.hpp"

namespace pspllm::host {

[[nodiscard]] const Kernels& sse2_kernels() noexcept;
[[nodiscard]] const Kernels& avx2_kernels() noexcept;
[[nodiscard]] const Kernels& avx512vnni_kernels() noexcept;
[[nodiscard]] const Kernels& neon_kernels() noexcept;

}  // namespace pspllm::host
