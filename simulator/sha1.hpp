#pragma once
// SHA-1 of short strings, for the numbers (NIDs) by which PSP modules import functions.
#include <array>
#include <bit>
#include <string_view>

#include "simulator/words.hpp"

namespace pspllm::simulator {

namespace detail {

constexpr void sha1_block(std::array<Word, 5>& state, const std::array<Byte, 64>& block) {
  std::array<Word, 80> w{};
  for (std::size_t i = 0; i < 16; ++i)
    w[i] = Word{block[i * 4]} << 24U | Word{block[i * 4 + 1]} << 16U | Word{block[i * 4 + 2]} << 8U |
           block[i * 4 + 3];
  for (std::size_t i = 16; i < 80; ++i) w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  auto [a, b, c, d, e] = state;
  for (std::size_t i = 0; i < 80; ++i) {
    Word mixed = 0;
    Word constant = 0;
    if (i < 20) {
      mixed = (b & c) | (~b & d);
      constant = 0x5A827999;
    } else if (i < 40) {
      mixed = b ^ c ^ d;
      constant = 0x6ED9EBA1;
    } else if (i < 60) {
      mixed = (b & c) | (b & d) | (c & d);
      constant = 0x8F1BBCDC;
    } else {
      mixed = b ^ c ^ d;
      constant = 0xCA62C1D6;
    }
    const Word next = std::rotl(a, 5) + mixed + e + constant + w[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
}

}  // namespace detail

// The five words of the digest.
[[nodiscard]] constexpr std::array<Word, 5> sha1(std::string_view text) {
  std::array<Word, 5> state{0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  std::array<Byte, 64> block{};
  std::size_t filled = 0;
  const auto feed = [&](Byte value) {
    block[filled++] = value;
    if (filled < block.size()) return;
    detail::sha1_block(state, block);
    filled = 0;
  };
  for (const char c : text) feed(static_cast<Byte>(c));
  feed(0x80);
  while (filled != 56) feed(0);
  const DoubleWord length = DoubleWord{text.size()} * 8U;
  for (unsigned shift = 64; shift > 0; shift -= 8) feed(static_cast<Byte>(length >> (shift - 8U)));
  return state;
}

// The NID of a function: the first four bytes of the SHA-1 of its name, little-endian.
[[nodiscard]] constexpr Word nid_of(std::string_view name) {
  const Word first = sha1(name)[0];
  return first << 24U | (first & 0xFF00U) << 8U | ((first >> 8U) & 0xFF00U) | first >> 24U;
}

static_assert(nid_of("sceKernelExitGame") == 0x05572A5F);
static_assert(nid_of("sceIoOpen") == 0x109F50BC);

}  // namespace pspllm::simulator
