// Activations for byte codes as the host sets keep them: int16 values, ready for multiplying pairs, zeros
// behind them, one scale.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/checked.hpp"
#include "engine/model/code_layout.hpp"
#include "engine/ops/host/quantize.hpp"
#include "engine/ops/kernels.hpp"

namespace pspllm::host {

/// Kernels read activations in whole vectors: the widest set's int16 vector.
inline constexpr std::uint32_t code_value_step = 32;

/// Values of one token, those behind cols being 0.
[[nodiscard]] constexpr std::uint32_t code_values(std::uint32_t cols) noexcept {
  return static_cast<std::uint32_t>(align_up(cols + max_code_padding, code_value_step));
}

/// Kernels::code_activation_bytes: the values, then the scale on an aligned boundary. A template, like all
/// that a kernel set points at, so that no other set's file shares its code.
template <class Isa>
[[nodiscard]] constexpr std::size_t code_activation_bytes(std::uint32_t cols) noexcept {
  return code_values(cols) * sizeof(std::int16_t) + block_alignment;
}

/// One token of QuantizedActivations.
template <class Isa>
struct CodeToken {
  std::int16_t* values = nullptr;  // [code_values(cols)]
  float* scale = nullptr;

  [[gnu::always_inline]] static CodeToken of(const QuantizedActivations& all, std::uint32_t token) noexcept {
    std::byte* const start = all.data + token * code_activation_bytes<Isa>(all.cols);
    return {reinterpret_cast<std::int16_t*>(start),
            reinterpret_cast<float*>(start + code_values(all.cols) * sizeof(std::int16_t))};
  }
};

/// Kernels::quantize_codes.
template <class Isa>
void quantize_codes(const float* x, const QuantizedActivations& out) noexcept {
  for (std::uint32_t index = 0; index < out.n_tokens; ++index, x += out.cols) {
    const CodeToken<Isa> token = CodeToken<Isa>::of(out, index);
    *token.scale = quantize_vector<Isa>(x, out.cols, token.values).scale;
    __builtin_memset(token.values + out.cols, 0, (code_values(out.cols) - out.cols) * sizeof(std::int16_t));
  }
}

}  // namespace pspllm::host
