// memcpy, memmove, memset, memcmp and strlen: compilers call them without being asked. A word at a time where
// it pays.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pspllm::psp::bytes {

using AlignedWord = std::uint32_t __attribute__((may_alias));
/// A word anywhere: the compiler makes lwl/lwr of it.
struct __attribute__((packed, may_alias)) AnyWord {
  std::uint32_t value;
};

constexpr std::size_t word_bytes = sizeof(AlignedWord);
constexpr std::size_t block_words = 8;
constexpr std::size_t block_bytes = block_words * word_bytes;
/// Below this, aligning costs more than it saves.
constexpr std::size_t worth_aligning = 16;

[[nodiscard]] inline bool is_word_aligned(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % word_bytes == 0;
}

/// Loads eight words before it stores them: the loads' latencies overlap.
inline void copy_block(unsigned char* to, const unsigned char* from) {
  const auto* source = reinterpret_cast<const AlignedWord*>(from);
  auto* target = reinterpret_cast<AlignedWord*>(to);
  const std::uint32_t w0 = source[0];
  const std::uint32_t w1 = source[1];
  const std::uint32_t w2 = source[2];
  const std::uint32_t w3 = source[3];
  const std::uint32_t w4 = source[4];
  const std::uint32_t w5 = source[5];
  const std::uint32_t w6 = source[6];
  const std::uint32_t w7 = source[7];
  target[0] = w0;
  target[1] = w1;
  target[2] = w2;
  target[3] = w3;
  target[4] = w4;
  target[5] = w5;
  target[6] = w6;
  target[7] = w7;
}

/// From the first byte to the last; right for overlapping ranges when `to` lies before `from`.
inline void copy_forward(unsigned char* to, const unsigned char* from, std::size_t count) {
  if (count >= worth_aligning) {
    while (!is_word_aligned(to)) {
      *to++ = *from++;
      --count;
    }
    if (is_word_aligned(from)) {
      for (; count >= block_bytes; count -= block_bytes) {
        copy_block(to, from);
        to += block_bytes;
        from += block_bytes;
      }
    }
    for (; count >= word_bytes; count -= word_bytes) {
      *reinterpret_cast<AlignedWord*>(to) = reinterpret_cast<const AnyWord*>(from)->value;
      to += word_bytes;
      from += word_bytes;
    }
  }
  while (count-- > 0) *to++ = *from++;
}

/// From the last byte to the first; right for overlapping ranges when `to` lies after `from`.
inline void copy_backward(unsigned char* to, const unsigned char* from, std::size_t count) {
  to += count;
  from += count;
  if (count >= worth_aligning) {
    while (!is_word_aligned(to)) {
      *--to = *--from;
      --count;
    }
    for (; count >= word_bytes; count -= word_bytes) {
      to -= word_bytes;
      from -= word_bytes;
      *reinterpret_cast<AlignedWord*>(to) = reinterpret_cast<const AnyWord*>(from)->value;
    }
  }
  while (count-- > 0) *--to = *--from;
}

inline void move(unsigned char* to, const unsigned char* from, std::size_t count) {
  const bool overlaps_ahead =
      reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from) < count;
  if (overlaps_ahead) {
    copy_backward(to, from, count);
  } else {
    copy_forward(to, from, count);
  }
}

inline void fill(unsigned char* to, unsigned char value, std::size_t count) {
  if (count >= worth_aligning) {
    while (!is_word_aligned(to)) {
      *to++ = value;
      --count;
    }
    const std::uint32_t word = value * 0x01010101U;
    for (; count >= block_bytes; count -= block_bytes, to += block_bytes) {
      auto* words = reinterpret_cast<AlignedWord*>(to);
      for (std::size_t i = 0; i < block_words; ++i) words[i] = word;
    }
    for (; count >= word_bytes; count -= word_bytes, to += word_bytes)
      *reinterpret_cast<AlignedWord*>(to) = word;
  }
  while (count-- > 0) *to++ = value;
}

[[nodiscard]] inline int compare(const unsigned char* left, const unsigned char* right, std::size_t count) {
  for (; count >= word_bytes; count -= word_bytes, left += word_bytes, right += word_bytes) {
    if (reinterpret_cast<const AnyWord*>(left)->value != reinterpret_cast<const AnyWord*>(right)->value)
      break;
  }
  for (; count > 0; --count, ++left, ++right) {
    if (*left != *right) return *left < *right ? -1 : 1;
  }
  return 0;
}

}  // namespace pspllm::psp::bytes
