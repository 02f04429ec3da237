#include "engine/ops/packed_rows.hpp"
#include "engine/ops/psp/packed_codes.hpp"
#include "engine/ops/psp/vfpu_kernels.hpp"
#include "engine/ops/reference/reference.hpp"

namespace pspllm::psp {
namespace {

bool is_packed(const Matrix& matrix) noexcept {
  return matrix.format == TensorFormat::q80 && psp::is_packed(matrix.group_size);
}

std::size_t prepare_scratch_bytes(const Matrix& matrix) noexcept {
  if (matrix.format == TensorFormat::codes) return pack_codes_scratch_bytes(matrix);
  return is_packed(matrix) ? pack_scratch_bytes<stripe_rows>(matrix) : 0;
}

void prepare(const Matrix& matrix, std::span<std::byte> scratch) noexcept {
  if (matrix.format == TensorFormat::codes) pack_codes(matrix, scratch);
  if (is_packed(matrix)) pack_rows<stripe_rows>(matrix, scratch);
}

void dequantize_row(const Matrix& matrix, std::uint32_t row, float* out) noexcept {
  if (is_packed(matrix)) {
    unpack_row<stripe_rows>(matrix, row, out);
  } else if (matrix.format == TensorFormat::codes) {
    dequantize_packed_code_row(matrix, row, out);
  } else {
    reference::dequantize_row(matrix, row, out);
  }
}

}  // namespace

const Kernels& vfpu_kernels() noexcept {
  static constexpr Kernels kernels = {
      .name = "q80 8x4 vfpu",
      .key_tile = 4,
      .row_tile = stripe_rows,
      .quantized_bytes = quantized_bytes_f32,
      .prepare_scratch_bytes = prepare_scratch_bytes,
      .prepare = prepare,
      .dequantize_row = dequantize_row,
      .quantize = quantize_vfpu,
      .matmul_q80 = matmul_q80_8x4_vfpu,
      .matmul_f32 = reference::matmul_f32,
      .code_activation_bytes = code_activation_bytes_f32,
      .quantize_codes = quantize_codes_vfpu,
      .matmul_codes = matmul_codes_vfpu,
      .rmsnorm = rmsnorm_vfpu,
      .store_key_value = store_key_value_tile4,
      .attention = attention_tile4_vfpu,
      .store_key_value_int8 = store_key_value_int8_vfpu,
      .attention_int8 = attention_int8_vfpu,
      .swiglu = swiglu_vfpu,
      .softmax = softmax_vfpu,
      .argmax = argmax_vfpu,
  };
  return kernels;
}

}  // namespace pspllm::psp
