#include "engine/ops/portable/portable_kernels.hpp"
#include "engine/ops/reference/reference.hpp"

namespace pspllm {

const Kernels& portable_kernels() noexcept {
  static constexpr Kernels kernels = {
      .name = "q80 portable",
      .key_tile = 1,
      .row_tile = 1,
      .quantized_bytes = portable::quantized_bytes,
      .prepare_scratch_bytes = reference::prepare_scratch_bytes,
      .prepare = reference::prepare,
      .dequantize_row = reference::dequantize_row,
      .quantize = portable::quantize,
      .matmul_q80 = portable::matmul_q80,
      .matmul_f32 = reference::matmul_f32,
      .code_activation_bytes = reference::code_activation_bytes,
      .quantize_codes = reference::quantize_codes,
      .matmul_codes = reference::matmul_codes,
      .rmsnorm = portable::rmsnorm,
      .store_key_value = reference::store_key_value,
      .attention = portable::attention,
      .store_key_value_int8 = reference::store_key_value_int8,
      .attention_int8 = reference::attention_int8,
      .swiglu = portable::swiglu,
      .softmax = portable::softmax,
      .argmax = portable::argmax,
  };
  return kernels;
}

}  // namespace pspllm
