#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/math/float_bits.hpp"
#include "engine/math/glibc_constants.hpp"

// Arguments that the tests of the exact functions try on every processor and with every variant, and the
// hashes of the results. The hashes were made with glibc 2.36's libm on x86-64 with FMA.
namespace pspllm::samples {

// FNV-1a's step over 32-bit words: h = (h xor word) * prime modulo 2^64.
class BitHash {
 public:
  void add(float value) noexcept { value_ = (value_ ^ to_bits(value)) * 1099511628211U; }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 1469598103934665603U;
};

// exp, sin, cos over visit_arguments(); pow over visit_pow_arguments().
constexpr std::uint64_t exp_hash = 0xe9e56e5661b1d421;
constexpr std::uint64_t sin_hash = 0xc3c109125fc7fd0e;
constexpr std::uint64_t cos_hash = 0xa2d38e71038327a9;
constexpr std::uint64_t pow_hash = 0xb1e615bb9195f580;

namespace detail {

// Where a function changes its ways: thresholds of the answers without arithmetic, multiples of pi / 4, ends
// of the ranges of normal and subnormal singles.
constexpr std::array<std::uint32_t, 12> landmarks{glibc::exp_overflow_above,
                                                  glibc::exp_zero_below,
                                                  glibc::exp_smallest_below,
                                                  0xc2aeac50,  // log of the smallest normal single
                                                  0x42b00000,  // 88
                                                  0x42f00000,  // 120
                                                  0x3f490fdb,  // pi / 4
                                                  0x3fc90fdb,  // pi / 2
                                                  0x40490fdb,  // pi
                                                  float_infinity_bits,
                                                  float_invalid_bits,
                                                  float_quiet_bit | float_infinity_bits};

// A multiplicative congruential generator's upper half.
class Random {
 public:
  [[nodiscard]] std::uint32_t next() noexcept {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::uint32_t>(state_ >> 32);
  }

 private:
  std::uint64_t state_ = 20240229;
};

}  // namespace detail

// About 1.1 million singles of every kind: one in 4,099 of all, the neighbours of all powers of two and of
// all landmarks.
template <typename Visit>
void visit_arguments(Visit visit) {
  constexpr std::uint64_t stride = 4099;
  constexpr std::uint64_t pattern_count = std::uint64_t{1} << 32;
  for (std::uint64_t bits = 0; bits < pattern_count; bits += stride) {
    visit(from_bits(static_cast<std::uint32_t>(bits)));
  }
  constexpr std::uint32_t neighbours = 32;
  for (std::uint32_t top = 0; top < 512; ++top) {
    const std::uint32_t first = (top << float_fraction_bits) - neighbours;
    for (std::uint32_t i = 0; i < 2 * neighbours; ++i) {
      visit(from_bits(first + i));
    }
  }
  for (const std::uint32_t landmark : detail::landmarks) {
    for (std::uint32_t i = 0; i < 16 * neighbours; ++i) {
      visit(from_bits(landmark - 8 * neighbours + i));
    }
  }
}

// What rotary embeddings raise to which power: every pair of every head of up to 512 dimensions, at bases
// from one hundred to ten million.
template <typename Visit>
void visit_rope_arguments(Visit visit) {
  constexpr std::array<float, 8> bases{1e2F, 1e3F, 1e4F, 1e5F, 5e5F, 1e6F, 5e6F, 1e7F};
  for (const float base : bases) {
    for (std::int32_t head_dim = 2; head_dim <= 512; ++head_dim) {
      for (std::int32_t i = 0; i < head_dim; i += 2) {
        visit(base, static_cast<float>(i) / static_cast<float>(head_dim));
      }
    }
  }
}

// count pairs, of four kinds in turn: any bits; a moderate exponent; a base near one; an integer exponent.
template <typename Visit>
void visit_random_pairs(std::uint32_t count, Visit visit) {
  detail::Random random;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t x = random.next();
    std::uint32_t y = random.next();
    switch (i % 4) {
      case 1:
        y = (y & 0x81ffffffU) | 0x3e000000U;
        break;
      case 2:
        x = (x & 0x807fffffU) | float_one_bits;
        break;
      case 3:
        y = to_bits(static_cast<float>(static_cast<std::int32_t>(y % 401U) - 200));
        break;
      default:
        break;
    }
    visit(from_bits(x), from_bits(y));
  }
}

// Every landmark with every other, as base and exponent.
template <typename Visit>
void visit_landmark_pairs(Visit visit) {
  constexpr std::array<std::uint32_t, 28> values{
      0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x80800000,
      0x3f7fffff, 0x3f800000, 0xbf800000, 0x3f800001, 0xbf7fffff, 0x40000000, 0x40400000,
      0xc0400000, 0x3f000000, 0xbf000000, 0x4b7fffff, 0x4b800000, 0xcb7fffff, 0x4b800001,
      0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc12345, 0xffc12345, 0xff812345};
  for (const std::uint32_t x : values) {
    for (const std::uint32_t y : values) {
      visit(from_bits(x), from_bits(y));
    }
  }
}

// About 1.1 million pairs.
template <typename Visit>
void visit_pow_arguments(Visit visit) {
  visit_rope_arguments(visit);
  visit_landmark_pairs(visit);
  visit_random_pairs(500'000, visit);
}

template <typename Function>
[[nodiscard]] std::uint64_t hash_of_samples(Function function) {
  BitHash hash;
  visit_arguments([&](float x) { hash.add(function(x)); });
  return hash.value();
}

// The same for a function of vectors, in place, in pieces of changing length.
template <typename VectorFunction>
[[nodiscard]] std::uint64_t hash_of_samples_by_vector(VectorFunction function) {
  constexpr std::size_t longest = 97;
  std::array<float, longest> values{};
  std::size_t count = 0;
  std::size_t wanted = 1;
  BitHash hash;
  const auto flush = [&] {
    function(values.data(), values.data(), count);
    for (std::size_t i = 0; i < count; ++i) {
      hash.add(values[i]);
    }
    wanted = wanted % longest + 1;
    count = 0;
  };
  visit_arguments([&](float x) {
    values[count++] = x;
    if (count == wanted) {
      flush();
    }
  });
  flush();
  return hash.value();
}

template <typename Function>
[[nodiscard]] std::uint64_t hash_of_pow_samples(Function function) {
  BitHash hash;
  visit_pow_arguments([&](float x, float y) { hash.add(function(x, y)); });
  return hash.value();
}

}  // namespace pspllm::samples
