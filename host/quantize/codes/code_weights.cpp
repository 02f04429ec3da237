#include "host/quantize/codes/code_weights.hpp"

#include <cstring>

namespace pspllm::host {

FloatMatrix dequantize(const CodeWeights& weights) {
  FloatMatrix result(weights.rows, weights.cols);
  const std::uint32_t groups = weights.groups();
  for (std::uint32_t row = 0; row < weights.rows; ++row) {
    float* const out = result.row(row);
    const std::uint8_t* const codes = weights.codes.data() + std::size_t{row} * groups;
    for (std::uint32_t col = 0; col < weights.cols; ++col) {
      const std::size_t word = codes[col / weights.code_width];
      const std::int8_t entry = weights.codebook[word * weights.code_width + col % weights.code_width];
      out[col] = static_cast<float>(entry) * weights.row_scales[row];
    }
  }
  return result;
}

std::vector<std::byte> code_bytes(const CodeWeights& weights) {
  const CodeLayout layout = weights.layout();
  std::vector<std::byte> bytes(layout.bytes());
  std::memcpy(bytes.data(), weights.codebook.data(), weights.codebook.size());
  std::memcpy(bytes.data() + layout.row_scales_offset(), weights.row_scales.data(),
              weights.row_scales.size() * sizeof(float));
  const std::uint32_t groups = layout.groups();
  for (std::uint32_t row = 0; row < weights.rows; ++row) {
    for (std::uint32_t group = 0; group < groups; ++group) {
      bytes[layout.code_offset(row, group)] = std::byte{weights.codes[std::size_t{row} * groups + group]};
    }
  }
  return bytes;
}

}  // namespace pspllm::host
