// Plain floats, the blocks of 32, and the ternary ones.
#include <array>
#include <cstdint>

#include "host/formats/gguf_dequantize.hpp"
#include "host/formats/little_endian.hpp"

namespace pspllm::host {
namespace {

constexpr std::size_t half_bytes = 2;
constexpr int nibble_mask = 0x0f;

int byte_at(const std::byte* bytes, std::size_t index) noexcept {
  return static_cast<int>(bytes[index]);
}

/// Value `index` of 32 nibbles: the low halves of 16 bytes, then the high halves.
int nibble(const std::byte* bytes, std::size_t index) noexcept {
  return index < 16 ? byte_at(bytes, index) & nibble_mask : byte_at(bytes, index - 16) >> 4;
}

/// The same with a fifth bit: bit `index` of `high`.
int five_bits(const std::byte* bytes, std::uint32_t high, std::size_t index) noexcept {
  return nibble(bytes, index) | static_cast<int>(high >> index & 1U) << 4;
}

constexpr std::size_t small_block = 32;

}  // namespace

void dequantize_f32(const std::byte* block, float* out) noexcept {
  *out = load<float>(block);
}

void dequantize_f16(const std::byte* block, float* out) noexcept {
  *out = load_half(block);
}

void dequantize_bf16(const std::byte* block, float* out) noexcept {
  *out = float_from_bfloat16(load<std::uint16_t>(block));
}

void dequantize_q4_0(const std::byte* block, float* out) noexcept {
  const float d = load_half(block);
  const std::byte* const nibbles = block + half_bytes;
  for (std::size_t i = 0; i < small_block; ++i) out[i] = d * static_cast<float>(nibble(nibbles, i) - 8);
}

void dequantize_q4_1(const std::byte* block, float* out) noexcept {
  const float d = load_half(block);
  const float minimum = load_half(block + half_bytes);
  const std::byte* const nibbles = block + 2 * half_bytes;
  for (std::size_t i = 0; i < small_block; ++i) out[i] = d * static_cast<float>(nibble(nibbles, i)) + minimum;
}

void dequantize_q5_0(const std::byte* block, float* out) noexcept {
  const float d = load_half(block);
  const auto high = load<std::uint32_t>(block + half_bytes);
  const std::byte* const nibbles = block + half_bytes + sizeof high;
  for (std::size_t i = 0; i < small_block; ++i) {
    out[i] = d * static_cast<float>(five_bits(nibbles, high, i) - 16);
  }
}

void dequantize_q5_1(const std::byte* block, float* out) noexcept {
  const float d = load_half(block);
  const float minimum = load_half(block + half_bytes);
  const auto high = load<std::uint32_t>(block + 2 * half_bytes);
  const std::byte* const nibbles = block + 2 * half_bytes + sizeof high;
  for (std::size_t i = 0; i < small_block; ++i) {
    out[i] = d * static_cast<float>(five_bits(nibbles, high, i)) + minimum;
  }
}

void dequantize_q8_0(const std::byte* block, float* out) noexcept {
  const float d = load_half(block);
  for (std::size_t i = 0; i < small_block; ++i) {
    out[i] = d * static_cast<float>(load<std::int8_t>(block + half_bytes + i));
  }
}

// Base-3 digits, most significant first, as a fraction: byte * 3^n keeps digits n and later in its 8 bits;
// times 3, the digit is what carries over. Bytes 0 … 31 hold five planes of 32, bytes 32 … 47 five of 16, the
// last four bytes four of 4.
void dequantize_tq1_0(const std::byte* block, float* out) noexcept {
  constexpr std::array<unsigned, 5> powers{1, 3, 9, 27, 81};
  constexpr std::size_t d_offset = 52;
  const float d = load_half(block + d_offset);
  const struct {
    std::size_t first_byte;
    std::size_t bytes;
    std::size_t digits;
  } parts[] = {{0, 32, 5}, {32, 16, 5}, {48, 4, 4}};
  for (const auto& part : parts) {
    for (std::size_t digit = 0; digit < part.digits; ++digit) {
      for (std::size_t i = 0; i < part.bytes; ++i) {
        const auto byte = static_cast<unsigned>(block[part.first_byte + i]);
        const unsigned shifted = byte * powers[digit] & 0xffU;
        *out++ = d * static_cast<float>(static_cast<int>(shifted * 3 >> 8) - 1);
      }
    }
  }
}

void dequantize_tq2_0(const std::byte* block, float* out) noexcept {
  constexpr std::size_t half_block = 32;
  constexpr std::size_t d_offset = 64;
  const float d = load_half(block + d_offset);
  for (std::size_t half = 0; half < 2; ++half) {
    for (int shift = 0; shift < 8; shift += 2) {
      for (std::size_t i = 0; i < half_block; ++i) {
        *out++ = d * static_cast<float>((byte_at(block, half * half_block + i) >> shift & 3) - 1);
      }
    }
  }
}

}  // namespace pspllm::host
