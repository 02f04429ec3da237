// A matrix as byte codes, before it is laid out for a file.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/model/code_layout.hpp"
#include "host/quantize/dense/matrix.hpp"

namespace pspllm::host {

/// weight[row, group * code_width + k] = codebook[codes[row, group]][k] * row_scales[row].
struct CodeWeights {
  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
  std::uint32_t code_width = 1;       ///< 1 … 8
  std::vector<std::int8_t> codebook;  // [256, code_width], magnitudes up to max_codeword(code_width)
  std::vector<float> row_scales;      // [rows]
  std::vector<std::uint8_t> codes;    // [rows, groups]

  [[nodiscard]] CodeLayout layout() const noexcept { return {rows, cols, code_width}; }
  [[nodiscard]] std::uint32_t groups() const noexcept { return layout().groups(); }
};

/// The weights as floats, [rows, cols].
[[nodiscard]] FloatMatrix dequantize(const CodeWeights& weights);

/// The bytes that CodeLayout describes: codebook, row scales, codes in tiles; zeros between and behind.
[[nodiscard]] std::vector<std::byte> code_bytes(const CodeWeights& weights);

}  // namespace pspllm::host
