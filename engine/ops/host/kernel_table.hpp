// Puts a set's kernels into the engine's table. Included once by each set's file.
#pragma once

#include "engine/ops/host/attention.hpp"
#include "engine/ops/host/attention_int8.hpp"
#include "engine/ops/host/elementwise.hpp"
#include "engine/ops/host/matmul_codes.hpp"
#include "engine/ops/host/matmul_f32.hpp"
#include "engine/ops/host/matmul_q80.hpp"
#include "engine/ops/host/quantize.hpp"
#include "engine/ops/kernels.hpp"
#include "engine/ops/reference/reference.hpp"

namespace pspllm::host {

/// Chooses between the packed kernels and the reference's, matrix by matrix.
template <class Isa>
struct KernelsOf {
  static bool packed(const Matrix& matrix) noexcept {
    switch (matrix.format) {
      case TensorFormat::f32:
        return matrix.rows >= Isa::lanes;
      case TensorFormat::q80:
        return is_packed(Isa::format, matrix);
      case TensorFormat::codes:
        return false;
    }
    return false;
  }

  static std::size_t quantized_bytes(std::uint32_t cols, std::uint32_t group_size) noexcept {
    if (!packs_groups(Isa::format, group_size)) return reference::quantized_bytes(cols, group_size);
    return token_layout(cols, group_size, sizeof(typename Isa::Activation)).bytes;
  }

  static std::size_t prepare_scratch_bytes(const Matrix& matrix) noexcept {
    if (!packed(matrix)) return 0;
    return matrix.format == TensorFormat::q80 ? pack_q80_scratch_bytes(Isa::format, matrix)
                                              : pack_f32_scratch_bytes(Isa::lanes, matrix);
  }

  static void prepare(const Matrix& matrix, std::span<std::byte> scratch) noexcept {
    if (!packed(matrix)) return;
    if (matrix.format == TensorFormat::q80) {
      pack_q80(Isa::format, matrix, scratch.data());
    } else {
      pack_f32(Isa::lanes, matrix, scratch.data());
    }
  }

  static void dequantize_row(const Matrix& matrix, std::uint32_t row, float* out) noexcept {
    if (!packed(matrix)) {
      reference::dequantize_row(matrix, row, out);
    } else if (matrix.format == TensorFormat::q80) {
      dequantize_packed_row(Isa::format, matrix, row, out);
    } else {
      copy_packed_f32_row(Isa::lanes, matrix, row, out);
    }
  }

  static void quantize(const float* x, const QuantizedActivations& out) noexcept {
    if (packs_groups(Isa::format, out.group_size)) {
      quantize_tokens<Isa>(x, out);
    } else {
      reference::quantize(x, out);
    }
  }

  static void matmul_q80(const Matrix& matrix, const QuantizedActivations& x, float* out,
                         std::uint32_t out_stride, Range rows) noexcept {
    if (packed(matrix)) {
      matmul_packed_q80<Isa>(matrix, x, out, out_stride, rows);
    } else if (packs_groups(Isa::format, matrix.group_size)) {
      matmul_few_rows<Isa>(matrix, x, out, out_stride, rows);
    } else {
      reference::matmul_q80(matrix, x, out, out_stride, rows);
    }
  }

  static void matmul_f32(const Matrix& matrix, const float* x, std::uint32_t n_tokens, float* out,
                         std::uint32_t out_stride, Range rows) noexcept {
    if (packed(matrix)) {
      matmul_packed_f32<Isa>(matrix, x, n_tokens, out, out_stride, rows);
    } else {
      reference::matmul_f32(matrix, x, n_tokens, out, out_stride, rows);
    }
  }

  static constexpr Kernels table = {
      .name = Isa::name,
      .key_tile = Isa::lanes,
      .row_tile = Isa::lanes,
      .quantized_bytes = quantized_bytes,
      .prepare_scratch_bytes = prepare_scratch_bytes,
      .prepare = prepare,
      .dequantize_row = dequantize_row,
      .quantize = quantize,
      .matmul_q80 = matmul_q80,
      .matmul_f32 = matmul_f32,
      .code_activation_bytes = host::code_activation_bytes<Isa>,
      .quantize_codes = host::quantize_codes<Isa>,
      .matmul_codes = host::matmul_codes<Isa>,
      .rmsnorm = host::rmsnorm<Isa>,
      .store_key_value = host::store_key_value<Isa>,
      .attention = host::attention<Isa>,
      .store_key_value_int8 = host::store_key_value_int8<Isa>,
      .attention_int8 = host::attention_int8<Isa>,
      .swiglu = host::swiglu<Isa>,
      .softmax = host::softmax<Isa>,
      .argmax = host::argmax<Isa>,
  };
};

}  // namespace pspllm::host
