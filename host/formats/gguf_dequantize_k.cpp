// The "K" blocks: 256 weights in groups of 16 or 32, the groups' scales quantised themselves.
#include <cstdint>

#include "host/formats/gguf_dequantize.hpp"
#include "host/formats/little_endian.hpp"

namespace pspllm::host {
namespace {

constexpr int nibble_mask = 0x0f;
constexpr int two_bits = 3;

int byte_at(const std::byte* bytes, std::size_t index) noexcept {
  return static_cast<int>(bytes[index]);
}

/// Q2_K and Q3_K: value `index` of 256 two-bit numbers. Each half of 128 has 32 bytes; its four planes of 32
/// are the four bit pairs.
int two_bit_value(const std::byte* bytes, std::size_t index) noexcept {
  const std::size_t half = index / 128;
  const auto plane = static_cast<int>(index % 128 / 32);
  return byte_at(bytes, half * 32 + index % 32) >> (2 * plane) & two_bits;
}

/// Q4_K and Q5_K: value `index` of 256 nibbles. Each 64 have 32 bytes: the low halves, then the high ones.
int nibble_value(const std::byte* bytes, std::size_t index) noexcept {
  const int byte = byte_at(bytes, index / 64 * 32 + index % 32);
  return index % 64 < 32 ? byte & nibble_mask : byte >> 4;
}

struct ScaleAndMinimum {
  int scale;
  int minimum;
};

/// Q4_K and Q5_K: eight pairs of 6-bit numbers in 12 bytes. Groups 0 … 3 have the low six bits of bytes
/// 0 … 3 (scales) and 4 … 7 (minima); groups 4 … 7 have nibbles in bytes 8 … 11 and their upper two bits on
/// top of the others.
ScaleAndMinimum six_bit_pair(const std::byte* packed, std::size_t group) noexcept {
  constexpr int six_bits = 0x3f;
  if (group < 4) return {byte_at(packed, group) & six_bits, byte_at(packed, group + 4) & six_bits};
  const int nibbles = byte_at(packed, group + 4);
  const int scale_top = byte_at(packed, group - 4) >> 6;
  const int minimum_top = byte_at(packed, group) >> 6;
  return {(nibbles & nibble_mask) | scale_top << 4, nibbles >> 4 | minimum_top << 4};
}

/// Q3_K: sixteen 6-bit scales in 12 bytes: nibbles in the first eight (low halves first), upper two bits in
/// the last four, group by group across them.
int three_bit_scale(const std::byte* packed, std::size_t group) noexcept {
  const int nibbles = byte_at(packed, group % 8);
  const int low = group < 8 ? nibbles & nibble_mask : nibbles >> 4;
  const int top = byte_at(packed, 8 + group % 4) >> (2 * static_cast<int>(group / 4)) & two_bits;
  constexpr int zero_point = 32;
  return (low | top << 4) - zero_point;
}

constexpr std::size_t block_values = 256;

}  // namespace

// Layout: scales [16] (low nibble: scale, high: minimum), values [64], d, d of the minima.
void dequantize_q2_k(const std::byte* block, float* out) noexcept {
  const std::byte* const values = block + 16;
  const float d = load_half(block + 80);
  const float d_minimum = load_half(block + 82);
  for (std::size_t i = 0; i < block_values; ++i) {
    const int scales = byte_at(block, i / 16);
    const float scale = d * static_cast<float>(scales & nibble_mask);
    const float minimum = d_minimum * static_cast<float>(scales >> 4);
    out[i] = scale * static_cast<float>(two_bit_value(values, i)) - minimum;
  }
}

// Layout: third bits [32] (bit k: plane k of 32), lower bits [64], scales [12], d. A third bit that is not
// set takes 4 away.
void dequantize_q3_k(const std::byte* block, float* out) noexcept {
  const std::byte* const values = block + 32;
  const std::byte* const scales = block + 96;
  const float d = load_half(block + 108);
  for (std::size_t i = 0; i < block_values; ++i) {
    const int third_bit = byte_at(block, i % 32) >> (i / 32) & 1;
    const int value = two_bit_value(values, i) - (third_bit != 0 ? 0 : 4);
    out[i] = d * static_cast<float>(three_bit_scale(scales, i / 16)) * static_cast<float>(value);
  }
}

// Layout: d, d of the minima, scales [12], values [128].
void dequantize_q4_k(const std::byte* block, float* out) noexcept {
  const float d = load_half(block);
  const float d_minimum = load_half(block + 2);
  for (std::size_t i = 0; i < block_values; ++i) {
    const ScaleAndMinimum group = six_bit_pair(block + 4, i / 32);
    const float minimum = d_minimum * static_cast<float>(group.minimum);
    out[i] = d * static_cast<float>(group.scale) * static_cast<float>(nibble_value(block + 16, i)) - minimum;
  }
}

// Layout: d, d of the minima, scales [12], fifth bits [32] (bit k: group k of 32), lower bits [128].
void dequantize_q5_k(const std::byte* block, float* out) noexcept {
  const float d = load_half(block);
  const float d_minimum = load_half(block + 2);
  for (std::size_t i = 0; i < block_values; ++i) {
    const ScaleAndMinimum group = six_bit_pair(block + 4, i / 32);
    const int fifth_bit = byte_at(block, 16 + i % 32) >> (i / 32) & 1;
    const int value = nibble_value(block + 48, i) | fifth_bit << 4;
    const float minimum = d_minimum * static_cast<float>(group.minimum);
    out[i] = d * static_cast<float>(group.scale) * static_cast<float>(value) - minimum;
  }
}

// Layout: lower four bits [128], upper two bits [64], int8 scales [16], d. Each half of 128 has 64 bytes of
// nibbles (low halves first) and 32 bytes of bit pairs (plane by plane).
void dequantize_q6_k(const std::byte* block, float* out) noexcept {
  const std::byte* const scales = block + 192;
  const float d = load_half(block + 208);
  for (std::size_t i = 0; i < block_values; ++i) {
    const std::size_t half = i / 128;
    const std::size_t in_half = i % 128;
    const int nibbles = byte_at(block, half * 64 + in_half % 64);
    const int low = in_half < 64 ? nibbles & nibble_mask : nibbles >> 4;
    const int top = two_bit_value(block + 128, i);
    constexpr int zero_point = 32;
    const float scale = d * static_cast<float>(load<std::int8_t>(scales + i / 16));
    out[i] = scale * static_cast<float>((low | top << 4) - zero_point);
  }
}

}  // namespace pspllm::host
