#include "host/formats/gguf_blocks.hpp"

#include <algorithm>
#include <array>

#include "host/formats/gguf_dequantize.hpp"

namespace pspllm::host {
namespace {

// Ids and sizes: enum ggml_type and the block structures of ggml-common.h. Q8_1 and Q8_K exist in memory
// only.
constexpr std::array<GgufBlockFormat, 32> formats{{
    {0, "F32", 1, 4, dequantize_f32},
    {1, "F16", 1, 2, dequantize_f16},
    {2, "Q4_0", 32, 18, dequantize_q4_0},
    {3, "Q4_1", 32, 20, dequantize_q4_1},
    {6, "Q5_0", 32, 22, dequantize_q5_0},
    {7, "Q5_1", 32, 24, dequantize_q5_1},
    {8, "Q8_0", 32, 34, dequantize_q8_0},
    {10, "Q2_K", 256, 84, dequantize_q2_k},
    {11, "Q3_K", 256, 110, dequantize_q3_k},
    {12, "Q4_K", 256, 144, dequantize_q4_k},
    {13, "Q5_K", 256, 176, dequantize_q5_k},
    {14, "Q6_K", 256, 210, dequantize_q6_k},
    {16, "IQ2_XXS", 256, 66, nullptr},
    {17, "IQ2_XS", 256, 74, nullptr},
    {18, "IQ3_XXS", 256, 98, nullptr},
    {19, "IQ1_S", 256, 50, nullptr},
    {20, "IQ4_NL", 32, 18, nullptr},
    {21, "IQ3_S", 256, 110, nullptr},
    {22, "IQ2_S", 256, 82, nullptr},
    {23, "IQ4_XS", 256, 136, nullptr},
    {24, "I8", 1, 1, nullptr},
    {25, "I16", 1, 2, nullptr},
    {26, "I32", 1, 4, nullptr},
    {27, "I64", 1, 8, nullptr},
    {28, "F64", 1, 8, nullptr},
    {29, "IQ1_M", 256, 56, nullptr},
    {30, "BF16", 1, 2, dequantize_bf16},
    {34, "TQ1_0", 256, 54, dequantize_tq1_0},
    {35, "TQ2_0", 256, 66, dequantize_tq2_0},
    {39, "MXFP4", 32, 17, nullptr},
    {40, "NVFP4", 64, 36, nullptr},
    {41, "Q1_0", 128, 18, nullptr},
}};

}  // namespace

const GgufBlockFormat* find_gguf_format(std::uint32_t id) noexcept {
  const auto* const found =
      std::find_if(formats.begin(), formats.end(), [id](const auto& format) { return format.id == id; });
  return found == formats.end() ? nullptr : found;
}

void dequantize_gguf(const GgufBlockFormat& format, std::span<const std::byte> blocks,
                     std::span<float> out) noexcept {
  float* values = out.data();
  for (std::size_t offset = 0; offset < blocks.size(); offset += format.block_bytes) {
    format.dequantize(blocks.data() + offset, values);
    values += format.block_values;
  }
}

std::string importable_gguf_formats() {
  std::string names;
  for (const GgufBlockFormat& format : formats) {
    if (format.dequantize != nullptr) names += (names.empty() ? "" : ", ") + std::string(format.name);
  }
  return names;
}

}  // namespace pspllm::host
